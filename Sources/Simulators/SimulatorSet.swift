internal import Crypto
internal import HTTP2Server

/// All simulated push providers. Each has a separate port; they share one certificate authority, one set of credentials, one fault script
/// and one recorder.
///
/// The owner must call `stop` before releasing the set.
package final class SimulatorSet: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let credentials: SimulatorCredentials
    /// The certificate authority that clients must trust, PEM.
    package let authority: String
    package let faults: FaultScript
    package let devices: DeviceRegistry
    package let recorder: PushRecorder
    private let servers: [SimulatedServer]
    private let accessTokens: [AccessTokens]

    /// - Throws: when a port is in use, or OpenSSL fails.
    package init(
        _ settings: SimulatorSettings = SimulatorSettings(), faults: FaultScript = FaultScript(), devices: DeviceRegistry = DeviceRegistry()
    ) throws(Failure) {
        do {
            let certificate = try LoopbackCertificate()
            let tls = try TLSServerContext(certificate: certificate.certificate, key: certificate.key)
            let credentials = try settings.credentials ?? SimulatorCredentials()
            let recorder = PushRecorder(capacity: settings.recordLimit, observer: settings.observer)
            let makers = try RuleMaker(settings, credentials: credentials, devices: devices)
            self.servers = try Self.start(settings, tls: tls, faults: faults, recorder: recorder, makers: makers)
            self.credentials = credentials
            self.recorder = recorder
            authority = certificate.authority
            accessTokens = [makers.googleTokens, makers.huaweiTokens]
        } catch {
            throw Failure(description: "\(error)")
        }
        self.faults = faults
        self.devices = devices
    }

    package subscript(provider: SimulatedProvider) -> SimulatedServer {
        guard let server = servers.first(where: { $0.provider == provider }) else { preconditionFailure("every push provider is started") }
        return server
    }

    /// Revokes the access tokens that FCM and HMS have issued: pushes with these tokens are rejected.
    package func revokeAccessTokens() {
        for tokens in accessTokens { tokens.revokeAll() }
    }

    /// Stops all servers. Must be called exactly once.
    package func stop() {
        for server in servers { server.stop() }
    }

    private static func start(
        _ settings: SimulatorSettings, tls: TLSServerContext, faults: FaultScript, recorder: PushRecorder, makers: RuleMaker
    ) throws(HTTP2Error) -> [SimulatedServer] {
        var servers: [SimulatedServer] = []
        do throws(HTTP2Error) {
            for provider in SimulatedProvider.push {
                let isApple = provider == .apns || provider == .apnsSandbox
                let http = HTTP2Settings(
                    host: settings.host, port: settings.ports[provider] ?? 0, tls: tls, threads: settings.threads,
                    streamLimit: isApple && settings.startsWithOneStream ? 1 : settings.streamLimit)
                servers.append(try SimulatedServer(provider, http, faults: faults, recorder: recorder, rules: makers.rules(of: provider)))
            }
        } catch {
            for server in servers { server.stop() }
            throw error
        }
        return servers
    }
}

struct RuleMaker {
    let googleTokens: AccessTokens
    let huaweiTokens: AccessTokens
    private let settings: SimulatorSettings
    private let credentials: SimulatorCredentials
    private let devices: DeviceRegistry
    // Both APNs environments accept the same key and share the limit of provider tokens.
    private let providerTokens: ProviderTokens
    private let googleKey: RS256PublicKey

    init(_ settings: SimulatorSettings, credentials: SimulatorCredentials, devices: DeviceRegistry) throws(KeyProblem) {
        self.settings = settings
        self.credentials = credentials
        self.devices = devices
        providerTokens = ProviderTokens(
            try ES256PrivateKey(pem: credentials.apnsKey.utf8.span).publicKey, keyID: credentials.apnsKeyID,
            teamID: credentials.apnsTeamID, updateLimit: settings.providerTokenLimit)
        googleKey = try RS256PrivateKey(pem: credentials.fcmKey.utf8.span).publicKey
        googleTokens = AccessTokens(prefix: "ya29.simulated-", lifetimeSeconds: settings.accessTokenSeconds)
        huaweiTokens = AccessTokens(prefix: "simulated-", lifetimeSeconds: settings.accessTokenSeconds)
    }

    func rules(of provider: SimulatedProvider) -> any SimulatorRules {
        switch provider {
        case .apns, .apnsSandbox:
            APNsRules(
                provider, tokens: providerTokens, isKeyForIt: [nil, provider].contains(settings.apnsKeyEnvironment),
                conversations: [credentials.apnsTopic], devices: devices, streamLimit: settings.streamLimit, now: settings.now)
        case .fcm:
            FCMRules(
                GoogleOAuth(key: googleKey, clientEmail: credentials.fcmClientEmail, tokens: googleTokens), message(.fcm), now: settings.now
            )
        case .hms: HMSRules(appID: credentials.hmsAppID, secret: credentials.hmsSecret, huaweiTokens, devices, now: settings.now)
        case .rustore: RuStoreRules(serviceToken: credentials.rustoreToken, message(.rustore))
        case .sendbirdDesk, .sendbirdChat: preconditionFailure("the provider accepts no pushes")
        }
    }

    private func message(_ provider: SimulatedProvider) -> GoogleMessage {
        GoogleMessage(provider: provider, project: credentials.project, devices: devices)
    }
}
