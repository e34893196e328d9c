package import Core
internal import Crypto
package import HTTPClient
package import Time

package struct PushSettings: Sendable, Equatable {
    package var provider: PushDestination
    package var style: PushStyle
    package var transport: NotifierTransport

    package init(provider: PushDestination, style: PushStyle, transport: NotifierTransport) {
        self.provider = provider
        self.style = style
        self.transport = transport
    }

    /// Returns the client settings for the provider: HTTP/2, one connection per host, and the client certificate of APNs if there is one.
    package func clientSettings(userAgent: String) -> ClientSettings {
        var settings = ClientSettings(
            // One connection carries a hundred concurrent requests, and providers recommend few connections. The second connection is for
            // APNs' other environment or for tokens.
            connectionsPerHost: 1, connectionLimit: 2, requestLimit: transport.requestLimit, proxy: transport.proxy,
            certificateAuthorities: transport.certificateAuthorities?.path, userAgent: userAgent, httpVersion: .http2)
        if case .apns(let apns) = provider, case .certificate(let certificate, let key) = apns.credential {
            settings.clientCertificate = certificate.path
            settings.clientKey = key.path
        }
        return settings
    }
}

/// A push provider with the credentials of one customer.
package enum PushDestination: Sendable, Equatable {
    case apns(APNsDestination)
    case fcm(FCMDestination)
    case rustore(RuStoreDestination)
    case hms(HMSDestination)

    /// The expiry of the client certificate; nil without a certificate.
    package var certificateExpiresAt: UnixSeconds? {
        guard case .apns(let apns) = self, case .certificate(let certificate, _) = apns.credential else { return nil }
        return CertificatePair.expiry(ofCertificate: certificate.text).map(UnixSeconds.init(rawValue:))
    }

    /// Creates the provider and its authorization.
    /// - Throws: when a credential is malformed.
    func open(_ context: PushContext) throws -> (any PushProvider, PushAuthorization) {
        switch self {
        case .apns(let apns): (APNsProvider(apns), try apns.authorization(context))
        case .fcm(let fcm): try fcm.open(context)
        case .rustore(let rustore): (RuStoreProvider(rustore), .fixed(rustore.token))
        case .hms(let hms): (HMSProvider(hms), hms.authorization(context))
        }
    }
}

/// The dependencies for sending messages and fetching tokens.
struct PushContext: Sendable {
    /// The HTTP client, which the notifier's creator owns and closes.
    let client: Client
    /// The timeout, in milliseconds, for all requests of one attempt, or for one token request.
    let timeoutMilliseconds: Int
    /// A monotonic clock, for deadlines and the age of tokens.
    let monotonicMilliseconds: @Sendable () -> MonotonicMilliseconds
    /// The wall clock, for tokens, times to live and Retry-After.
    let unixMilliseconds: @Sendable () -> UnixMilliseconds

    func cache(_ source: any ProviderTokenSource, _ policy: ProviderTokenPolicy) -> ProviderTokenCache {
        ProviderTokenCache(source, policy: policy, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
    }
}
