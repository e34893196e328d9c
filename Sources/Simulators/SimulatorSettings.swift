package import Crypto
package import Time

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

    /// The providers that accept pushes, over HTTP/2.
    package static let push: [SimulatedProvider] = [.apns, .apnsSandbox, .fcm, .hms, .rustore]
}

package struct SimulatorSettings: Sendable {
    /// An IPv4 address of this machine.
    package var host = "127.0.0.1"
    /// The ports by provider. The system chooses the ports of other providers.
    package var ports: [SimulatedProvider: UInt16] = [:]
    /// The credentials that the simulators accept; nil to create new ones.
    package var credentials: SimulatorCredentials?
    package var threads = 1
    /// Whether APNs allows a new connection only one stream until it has received a push with a valid provider token, as Apple's servers
    /// do.
    package var startsWithOneStream = true
    /// The maximum number of concurrent streams per connection.
    package var streamLimit = 1000
    /// The environment of APNs that the key is valid for; nil for both.
    package var apnsKeyEnvironment: SimulatedProvider?
    /// The maximum number of different provider tokens that APNs accepts within 20 minutes.
    package var providerTokenLimit = 3
    package var accessTokenSeconds: UInt64 = 3600
    package var recordLimit = 10_000
    package var now: @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    /// Called for each accepted push, on a simulator's thread.
    package var observer: @Sendable (SimulatedPush) -> Void = { _ in }

    package init() {}
}

/// New credentials of one customer at every provider; valid only for the simulators.
package struct SimulatorCredentials: Sendable {
    /// APNs: the signing key, PEM as in Apple's .p8 files.
    package let apnsKey: String
    /// APNs: the `kid` of provider tokens.
    package let apnsKeyID = "SIMULATED1"
    /// APNs: the `iss` of provider tokens.
    package let apnsTeamID = "SIMULATEDT"
    package let apnsTopic = "com.example.chat"
    /// FCM: the service account's private key, PEM.
    package let fcmKey: String
    /// FCM: the service account's address.
    package let fcmClientEmail = "deskgate@simulated-project.iam.gserviceaccount.com"
    package let project = "simulated-project"
    package let hmsAppID = "100000001"
    package let hmsSecret: String
    package let rustoreToken: String

    /// Creating credentials takes half a second. Throws when OpenSSL fails.
    package init() throws(CryptoError) {
        apnsKey = try KeyGeneration.p256()
        fcmKey = try KeyGeneration.rsa2048()
        hmsSecret = RandomText.hexadecimal(bytes: 32)
        rustoreToken = RandomText.hexadecimal(bytes: 32)
    }
}
