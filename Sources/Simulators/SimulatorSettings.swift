package import Crypto
package import Time

/// A provider that is simulated, each on a port of its own.
package enum SimulatedProvider: String, Sendable, CaseIterable {
    /// Apple's production environment.
    case apns
    /// Apple's sandbox.
    case apnsSandbox = "apns-sandbox"
    /// Firebase Cloud Messaging, with Google's OAuth.
    case fcm
    /// Huawei's Push Kit, with its OAuth.
    case hms
    /// RuStore.
    case rustore
}

/// How the simulators are started.
package struct SimulatorSettings: Sendable {
    /// The address, an IPv4 address of this machine.
    package var host = "127.0.0.1"
    /// The ports; what is not named is chosen by the system.
    package var ports: [SimulatedProvider: UInt16] = [:]
    /// How many threads each provider has.
    package var threads = 1
    /// Whether APNs lets a new connection have one stream only until a push with a valid provider token came, as Apple's does.
    package var startsWithOneStream = true
    /// How many streams a connection may have.
    package var streamLimit = 1000
    /// Which of APNs's environments its key is for; nil is both.
    package var apnsKeyEnvironment: SimulatedProvider?
    /// How many different provider tokens APNs takes within 20 minutes.
    package var providerTokenLimit = 3
    /// How long access tokens of FCM and HMS are valid, in seconds.
    package var accessTokenSeconds: UInt64 = 3600
    /// How many accepted pushes are kept.
    package var recordLimit = 10_000
    /// The time, in milliseconds since 1970.
    package var now: @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    /// Told of each accepted push, on a simulator's thread.
    package var observer: @Sendable (SimulatedPush) -> Void = { _ in }

    /// The defaults.
    package init() {}
}

/// Fresh credentials of one customer at every provider; good for the simulators alone.
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

    /// Makes them; takes a tenth of a second. Throws when OpenSSL fails.
    package init() throws(CryptoError) {
        apnsKey = try KeyGeneration.p256()
        fcmKey = try KeyGeneration.rsa2048()
        hmsSecret = RandomText.hexadecimal(bytes: 32)
        rustoreToken = RandomText.hexadecimal(bytes: 32)
    }
}
