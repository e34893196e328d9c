/// Where the help desk keeps push tokens itself.
package struct PyrusDestination: Sendable {
    /// Makes a security key for a person of an app, which lives for as long as a call takes; nil when the app has no key to make it with.
    package typealias KeyMint = @Sendable (_ appID: String, _ userID: String) -> String?

    /// The help desk's address for its public cloud.
    package static let cloudURL = "https://pyrus.com/servicedeskapi/v1/SetPushToken"

    let url: String
    let mintKey: KeyMint
    let timeoutMilliseconds: Int

    /// Makes a destination.
    /// - Parameters:
    ///   - url: the whole address that is posted to.
    ///   - mintKey: called at each sending, on the dispatcher's thread: it must not block.
    ///   - timeoutMilliseconds: how long one call may take; 1 at least.
    package init(url: String = cloudURL, mintKey: @escaping KeyMint, timeoutMilliseconds: Int) {
        self.url = url
        self.mintKey = mintKey
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}
