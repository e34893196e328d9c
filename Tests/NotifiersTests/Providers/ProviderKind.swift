import Core
import Crypto
import HTTPClient
import JSON
import Notifiers
import Simulators
import TestSupport
import Time

/// The push providers, for tests of behavior that all share.
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

    /// A notifier with a credential that the simulators accept, or with another one.
    func notifier(
        _ fixture: PushFixture, timeoutMilliseconds: Int = Int(WaitLimit.milliseconds), isGenuine: Bool = true, clocks: ManualClocks? = nil,
        monotonicMilliseconds: (@Sendable () -> MonotonicMilliseconds)? = nil
    ) throws -> any ProvableNotifier {
        let clocks = clocks ?? fixture.clocks
        return try PushNotifier(
            settings(fixture, timeoutSeconds: timeoutMilliseconds / 1000, isGenuine: isGenuine), client: fixture.client,
            monotonicMilliseconds: monotonicMilliseconds ?? { clocks.monotonicMilliseconds() },
            unixMilliseconds: { clocks.unixMilliseconds() })
    }

    func settings(_ fixture: PushFixture, timeoutSeconds: Int = 60, isGenuine: Bool = true) throws -> PushSettings {
        let (simulators, credentials) = (fixture.simulators, fixture.simulators.credentials)
        let url = simulators[simulated].url
        let destination: PushDestination
        switch self {
        case .apns:
            let key = SecretBytes(copying: (isGenuine ? credentials.apnsKey : try KeyGeneration.p256()).utf8.span)
            destination = .apns(
                APNsDestination(
                    credential: .token(key: key, keyID: credentials.apnsKeyID, teamID: credentials.apnsTeamID),
                    topic: credentials.apnsTopic, url: url, sandboxURL: simulators[.apnsSandbox].url))
        case .fcm:
            destination = .fcm(FCMDestination(serviceAccount: try Self.account(simulators, isGenuine: isGenuine), url: url))
        case .rustore:
            let token = SecretBytes(copying: (isGenuine ? credentials.rustoreToken : "other").utf8.span)
            destination = .rustore(RuStoreDestination(projectID: credentials.project, token: token, url: url))
        case .hms:
            let secret = SecretBytes(copying: (isGenuine ? credentials.hmsSecret : "other").utf8.span)
            destination = .hms(
                HMSDestination(appID: credentials.hmsAppID, secret: secret, url: url, tokenURL: "\(url)/oauth2/v3/token"))
        }
        let transport = NotifierTransport(timeoutSeconds: timeoutSeconds, concurrency: self == .apns ? 256 : 64)
        return PushSettings(provider: destination, style: try PushStyle(content: .full), transport: transport)
    }

    /// A key that no simulator accepts.
    private static let otherKey = Result { try KeyGeneration.rsa2048() }

    static func account(_ simulators: SimulatorSet, isGenuine: Bool = true, projectID: String? = nil) throws -> SecretBytes {
        let credentials = simulators.credentials
        let key = isGenuine ? credentials.fcmKey : try otherKey.get()
        let file = ServiceAccountFile(tokenURI: "\(simulators[.fcm].url)/token").with("private_key", .string(key))
            .with("client_email", .string(credentials.fcmClientEmail)).with("project_id", .string(projectID ?? credentials.project))
        return SecretBytes(copying: file.bytes.span)
    }
}
