import Core
import Crypto
import HTTPClient
import JSON
import Notifiers
import Simulators

/// The push providers, for what must hold with each.
enum ProviderKind: String, CaseIterable {
    case apns, fcm, rustore, hms

    var simulated: SimulatedProvider {
        switch self {
        case .apns: .apns
        case .fcm: .fcm
        case .rustore: .rustore
        case .hms: .hms
        }
    }

    /// A notifier that the simulators know, or with another credential.
    func notifier(
        _ fixture: PushFixture, timeoutMilliseconds: Int = 60_000, isGenuine: Bool = true, clocks: ManualClocks? = nil,
        monotonicMilliseconds: (@Sendable () -> UInt64)? = nil
    ) throws -> any ProvableNotifier {
        let (client, clocks, style) = (fixture.client, clocks ?? fixture.clocks, try PushStyle())
        let monotonic = monotonicMilliseconds ?? { clocks.monotonicMilliseconds() }
        let unix: @Sendable () -> UInt64 = { clocks.unixMilliseconds() }
        let (simulators, credentials) = (fixture.simulators, fixture.simulators.credentials)
        let url = simulators[simulated].url
        switch self {
        case .apns:
            let key = try ES256PrivateKey(pem: (isGenuine ? credentials.apnsKey : KeyGeneration.p256()).utf8.span)
            let destination = APNsDestination(
                credential: .token(key: key, keyID: credentials.apnsKeyID, teamID: credentials.apnsTeamID), topic: credentials.apnsTopic,
                productionURL: url, sandboxURL: simulators[.apnsSandbox].url, style: style, timeoutMilliseconds: timeoutMilliseconds)
            return try PushNotifier(destination, concurrency: 256, client: client, monotonicMilliseconds: monotonic, unixMilliseconds: unix)
        case .fcm:
            let destination = FCMDestination(
                account: try Self.account(simulators, isGenuine: isGenuine), url: url, style: style,
                timeoutMilliseconds: timeoutMilliseconds)
            return try PushNotifier(destination, concurrency: 64, client: client, monotonicMilliseconds: monotonic, unixMilliseconds: unix)
        case .rustore:
            let token = SecretBytes(copying: (isGenuine ? credentials.rustoreToken : "other").utf8.span)
            let destination = RuStoreDestination(
                projectID: credentials.project, token: token, url: url, style: style, timeoutMilliseconds: timeoutMilliseconds)
            return try PushNotifier(
                destination, concurrency: 64, client: client, monotonicMilliseconds: monotonic, unixMilliseconds: unix)
        case .hms:
            let secret = SecretBytes(copying: (isGenuine ? credentials.hmsSecret : "other").utf8.span)
            let destination = HMSDestination(
                appID: credentials.hmsAppID, secret: secret, url: url, tokenURL: "\(url)/oauth2/v3/token", style: style,
                timeoutMilliseconds: timeoutMilliseconds)
            return try PushNotifier(destination, concurrency: 64, client: client, monotonicMilliseconds: monotonic, unixMilliseconds: unix)
        }
    }

    static func account(_ simulators: SimulatorSet, isGenuine: Bool = true, projectID: String? = nil) throws -> ServiceAccount {
        let credentials = simulators.credentials
        let key = isGenuine ? credentials.fcmKey : try KeyGeneration.rsa2048()
        let file = ServiceAccountFile(tokenURI: "\(simulators[.fcm].url)/token").with("private_key", .string(key))
            .with("client_email", .string(credentials.fcmClientEmail)).with("project_id", .string(projectID ?? credentials.project))
        return try ServiceAccount(parsing: file.bytes.span)
    }
}
