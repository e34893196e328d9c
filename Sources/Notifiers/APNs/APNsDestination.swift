package import Core
package import Crypto

/// Where and how one app's notifications reach APNs.
package struct APNsDestination: Sendable {
    /// What Apple knows the sender by.
    package enum Credential: Sendable {
        /// A key of the developer account, for all of the team's apps.
        /// - Parameters:
        ///   - key: the content of the .p8 file.
        ///   - keyID: its identifier, 10 characters.
        ///   - teamID: the team's identifier, 10 characters.
        case token(key: ES256PrivateKey, keyID: String, teamID: String)
        /// The certificate that the client shows.
        case certificate
    }

    /// Apple's environment for apps from the App Store and TestFlight.
    package static let productionURL = "https://api.push.apple.com"
    /// Apple's environment for apps run from Xcode.
    package static let sandboxURL = "https://api.sandbox.push.apple.com"

    let credential: Credential
    let topic: String
    let productionURL: String
    let sandboxURL: String
    let style: PushStyle
    let timeoutMilliseconds: Int

    /// Makes a destination.
    /// - Parameters:
    ///   - topic: the app's bundle id.
    ///   - productionURL: scheme, host and port; another one only for simulators and proxies, as `sandboxURL`.
    ///   - timeoutMilliseconds: how long the requests of one try may take together; 1 at least.
    package init(
        credential: Credential, topic: String, productionURL: String = productionURL, sandboxURL: String = sandboxURL, style: PushStyle,
        timeoutMilliseconds: Int
    ) {
        self.credential = credential
        self.topic = topic
        self.productionURL = productionURL
        self.sandboxURL = sandboxURL
        self.style = style
        self.timeoutMilliseconds = timeoutMilliseconds
    }
}
