package import Crypto
package import Time

/// A simulated provider; each has its own port.
package enum SimulatedProvider: String, Sendable, CaseIterable {
    case apns
    case apnsSandbox = "apns-sandbox"
    /// Firebase Cloud Messaging, with Google's OAuth.
    case fcm
    /// Huawei's Push Kit, with its OAuth.
    case hms
    case rustore
    /// Sendbird Desk's Platform API, over plain HTTP/1.1.
    case sendbirdDesk = "sendbird-desk"
    /// Sendbird Chat's Platform API, over plain HTTP/1.1.
    case sendbirdChat = "sendbird-chat"

    package static let push: [SimulatedProvider] = [.apns, .apnsSandbox, .fcm, .hms, .rustore]
}

package struct SimulatorSettings: Sendable {
    /// The address, an IPv4 address of this machine.
    package var host = "127.0.0.1"
    /// The ports; the system chooses those that are missing.
    package var ports: [SimulatedProvider: UInt16] = [:]
    /// The credentials of the simulators' clients; nil has new ones made.
    package var credentials: SimulatorCredentials?
    package var threads = 1
    /// Whether APNs allows a new connection only one stream until a push with a valid provider token has come, as Apple's servers do.
    package var startsWithOneStream = true
    /// The maximum number of streams of a connection.
    package var streamLimit = 1000
    /// The environment of APNs that the key is valid for; nil means both.
    package var apnsKeyEnvironment: SimulatedProvider?
    /// The number of different provider tokens that APNs accepts within 20 minutes.
    package var providerTokenLimit = 3
    /// The life of access tokens of FCM and HMS in seconds.
    package var accessTokenSeconds: UInt64 = 3600
    /// The maximum number of accepted pushes that are recorded.
    package var recordLimit = 10_000
    /// The time, in milliseconds since 1970.
    package var now: @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    /// Called for each accepted push, on a simulator's thread.
    package var observer: @Sendable (SimulatedPush) -> Void = { _ in }

    package init() {}
}

/// New credentials of one customer at every provider; valid only for the simulators.
package struct SimulatorCredentials: Sendable {
    /// APNs: the signing key, PEM as in Apple's .p8 files.
    package let apnsKey: String
    /// APNs: the key's id, the `kid` of provider tokens.
    package let apnsKeyID = "SIMULATED1"
    /// APNs: the team's id, the `iss` of provider tokens.
    package let apnsTeamID = "SIMULATEDT"
    /// APNs: the app's topic.
    package let apnsTopic = "com.example.chat"
    /// FCM: the service account's private key, PEM.
    package let fcmKey: String
    /// FCM: the service account's address.
    package let fcmClientEmail = "deskgate@simulated-project.iam.gserviceaccount.com"
    /// FCM and RuStore: the project.
    package let project = "simulated-project"
    /// HMS: the app's id.
    package let hmsAppID = "100000001"
    /// HMS: the app's secret.
    package let hmsSecret: String
    /// RuStore: the service token.
    package let rustoreToken: String

    /// Makes new credentials, which takes half a second. Throws when OpenSSL fails.
    package init() throws(CryptoError) {
        apnsKey = try KeyGeneration.p256()
        fcmKey = try KeyGeneration.rsa2048()
        hmsSecret = RandomText.hexadecimal(bytes: 32)
        rustoreToken = RandomText.hexadecimal(bytes: 32)
    }
}
