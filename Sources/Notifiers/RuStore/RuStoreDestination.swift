package import Core
package import Crypto

/// Where and how one project's messages reach RuStore.
package struct RuStoreDestination: Sendable {
    let projectID: String
    let token: SecretBytes
    let url: String
    let style: PushStyle
    let timeoutMilliseconds: Int

    /// Makes a destination.
    /// - Parameters:
    ///   - projectID: as the console shows it.
    ///   - token: the project's service token, visible ASCII.
    ///   - url: scheme, host and port; another one only for simulators and proxies.
    ///   - timeoutMilliseconds: how long the requests of one try may take together; 1 at least.
    package init(
        projectID: String, token: SecretBytes, url: String = "https://vkpns.rustore.ru", style: PushStyle, timeoutMilliseconds: Int
    ) {
        self.projectID = projectID
        self.token = token
        self.url = url
        self.style = style
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}
