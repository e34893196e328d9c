internal import Crypto

/// Makes the rules of each provider, which share credentials and devices.
struct RuleMaker {
    let googleTokens: AccessTokens
    let huaweiTokens: AccessTokens
    private let settings: SimulatorSettings
    private let credentials: SimulatorCredentials
    private let devices: DeviceRegistry
    // Both of Apple's environments know the same key, and count its tokens together.
    private let providerTokens: ProviderTokens
    private let googleKey: RS256PublicKey

    init(_ settings: SimulatorSettings, _ credentials: SimulatorCredentials, _ devices: DeviceRegistry) throws(KeyFlaw) {
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
                provider, providerTokens, isKeyForIt: [nil, provider].contains(settings.apnsKeyEnvironment),
                topics: [credentials.apnsTopic], devices, streamLimit: settings.streamLimit, now: settings.now)
        case .fcm:
            FCMRules(
                GoogleOAuth(key: googleKey, clientEmail: credentials.fcmClientEmail, tokens: googleTokens), message(.fcm), now: settings.now
            )
        case .hms: HMSRules(appID: credentials.hmsAppID, secret: credentials.hmsSecret, huaweiTokens, devices, now: settings.now)
        case .rustore: RuStoreRules(serviceToken: credentials.rustoreToken, message(.rustore))
        }
    }

    private func message(_ provider: SimulatedProvider) -> GoogleMessage {
        GoogleMessage(provider: provider, project: credentials.project, devices: devices)
    }
}
