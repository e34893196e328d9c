/// A question to the other processes that share a store: what do they remember of a user?
package struct UserQuestion: Sendable, Equatable {
    /// Milliseconds after which it is no longer answered, and the store deletes it with its answers.
    package static let lifetimeMilliseconds: UInt64 = 60_000

    package let id: UUIDv7
    package let appID: String
    /// The user (`Authorizer.digest(ofUser:in:)`).
    package let user: KeyedDigest
    package let forgets: Bool

    package init(id: UUIDv7, appID: String, user: KeyedDigest, forgets: Bool) {
        (self.id, self.appID, self.user, self.forgets) = (id, appID, user, forgets)
    }
}
