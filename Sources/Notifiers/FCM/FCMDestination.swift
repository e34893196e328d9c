package import Core

/// Where and how one project's messages reach Firebase Cloud Messaging.
package struct FCMDestination: Sendable {
    let account: ServiceAccount
    let url: String
    let style: PushStyle
    let timeoutMilliseconds: Int

    /// Makes a destination.
    /// - Parameters:
    ///   - account: of the project whose apps are sent to.
    ///   - url: scheme, host and port; another one only for simulators and proxies.
    ///   - timeoutMilliseconds: how long the requests of one try may take together; 1 at least.
    package init(account: ServiceAccount, url: String = "https://fcm.googleapis.com", style: PushStyle, timeoutMilliseconds: Int) {
        self.account = account
        self.url = url
        self.style = style
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}
