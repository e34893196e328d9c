internal import Configuration
internal import Core
internal import Crypto
internal import HTTPClient
internal import Notifiers
internal import Threading
internal import Time

/// The push providers, and the relay of registrations.
extension NotifierFactory {
    func pushClientSettings(_ push: Configuration.Push) -> ClientSettings {
        let transport = push.transport
        var settings = ClientSettings(
            // One carries a hundred requests at once, and providers want few. There is one more for APNs' other environment or for tokens.
            connectionsPerHost: 1, connectionLimit: 2, requestLimit: 2 * transport.concurrency + 16,
            proxy: transport.proxy, certificateAuthorities: transport.certificateAuthorities?.path,
            userAgent: "Deskgate/\(Version.current)", httpVersion: .http2)
        if case .apns(let apns) = push.provider, case .certificate(let certificate, let key) = apns.credential {
            settings.clientCertificate = certificate.path
            settings.clientKey = key.path
        }
        return settings
    }

    func notifier(_ push: Configuration.Push, _ client: Client) throws -> any Notifier {
        let timeout = push.transport.timeoutSeconds * 1000
        let concurrency = push.transport.concurrency
        let (monotonic, unix) = (clocks.monotonicMilliseconds, clocks.unixMilliseconds)
        switch push.provider {
        case .apns(let apns):
            return try PushNotifier(
                try destination(apns, push.style, timeout), concurrency: concurrency, client: client,
                monotonicMilliseconds: monotonic, unixMilliseconds: unix)
        case .fcm(let fcm):
            return try PushNotifier(
                try destination(fcm, push.style, timeout), concurrency: concurrency, client: client,
                monotonicMilliseconds: monotonic, unixMilliseconds: unix)
        case .rustore(let rustore):
            return try PushNotifier(
                destination(rustore, push.style, timeout), concurrency: concurrency, client: client,
                monotonicMilliseconds: monotonic, unixMilliseconds: unix)
        case .hms(let hms):
            return try PushNotifier(
                destination(hms, push.style, timeout), concurrency: concurrency, client: client,
                monotonicMilliseconds: monotonic, unixMilliseconds: unix)
        }
    }

    func notifier(_ relay: Configuration.Relay, _ pace: Monitor<PyrusPace>, _ client: Client) throws -> any Notifier {
        try PyrusNotifier(
            PyrusDestination(url: relay.url, mintKey: mintKey, timeoutMilliseconds: relay.transport.timeoutSeconds * 1000),
            concurrency: relay.transport.concurrency, client: client, pace: pace,
            monotonicMilliseconds: clocks.monotonicMilliseconds, unixMilliseconds: clocks.unixMilliseconds)
    }
}

extension NotifierFactory {
    private func destination(_ apns: Configuration.APNs, _ style: PushStyle, _ timeout: Int) throws -> APNsDestination {
        let credential: APNsDestination.Credential =
            switch apns.credential {
            case .certificate: .certificate
            case .token(let key, let keyID, let teamID):
                .token(
                    key: try key.withSpan { span throws(KeyFlaw) in try ES256PrivateKey(pem: span) }, keyID: keyID, teamID: teamID)
            }
        return APNsDestination(
            credential: credential, topic: apns.topic, productionURL: apns.url, sandboxURL: apns.sandboxURL, style: style,
            timeoutMilliseconds: timeout)
    }

    private func destination(_ fcm: Configuration.FCM, _ style: PushStyle, _ timeout: Int) throws -> FCMDestination {
        let account = try fcm.serviceAccount.withSpan { span throws(ServiceAccount.Flaw) in try ServiceAccount(parsing: span) }
        return FCMDestination(account: account, url: fcm.url, style: style, timeoutMilliseconds: timeout)
    }

    private func destination(_ rustore: Configuration.RuStore, _ style: PushStyle, _ timeout: Int) -> RuStoreDestination {
        RuStoreDestination(
            projectID: rustore.projectID, token: rustore.token, url: rustore.url, style: style, timeoutMilliseconds: timeout)
    }

    private func destination(_ hms: Configuration.HMS, _ style: PushStyle, _ timeout: Int) -> HMSDestination {
        HMSDestination(
            appID: hms.appID, secret: hms.secret, category: hms.category, url: hms.url, tokenURL: hms.tokenURL, style: style,
            timeoutMilliseconds: timeout)
    }
}
