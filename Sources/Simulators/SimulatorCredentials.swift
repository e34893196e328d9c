package import Crypto

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
