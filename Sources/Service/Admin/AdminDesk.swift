internal import Core

/// What is needed to do what operators want of the store.
package struct AdminDesk: Sendable {
    let store: any Store
    /// Unix milliseconds.
    let now: UInt64
    /// How long what is tried again is worth something.
    let lifeMilliseconds: UInt64
    /// Names people as the log does.
    let authorizer: Authorizer

    /// The name of a person in the log; nil when it cannot be made.
    func userReference(_ key: Device.Key) -> String? {
        authorizer.userReference(appID: key.appID.utf8.span, userID: key.userID.utf8.span)
    }
}
