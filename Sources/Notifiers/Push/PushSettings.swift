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

    /// The settings of a client for the provider. It speaks HTTP/2, opens one connection per host and shows APNs' certificate.
    package func clientSettings(userAgent: String) -> ClientSettings {
        var settings = ClientSettings(
            // One connection carries a hundred requests at once, and providers want few. The second is for APNs' other environment or for
            // tokens.
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

    /// When the certificate that proves the sender expires; nil without one.
    package var certificateExpiresAt: UnixSeconds? {
        guard case .apns(let apns) = self, case .certificate(let certificate, _) = apns.credential else { return nil }
        return CertificatePair.expiry(ofCertificate: certificate.text).map(UnixSeconds.init(rawValue:))
    }

    /// Makes the provider's protocol and authorization.
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

/// The dependencies of sending and of fetching tokens.
struct PushContext: Sendable {
    /// Owned and closed by the notifier's caller.
    let client: Client
    /// The timeout of the requests of one attempt, or of one exchange for a token.
    let timeoutMilliseconds: Int
    /// A monotonic clock, for deadlines and the age of tokens.
    let monotonicMilliseconds: @Sendable () -> MonotonicMilliseconds
    /// The wall clock, for tokens, times to live and Retry-After.
    let unixMilliseconds: @Sendable () -> UnixMilliseconds

    func cache(_ source: any ProviderTokenSource, _ policy: ProviderTokenPolicy) -> ProviderTokenCache {
        ProviderTokenCache(source, policy: policy, monotonicMilliseconds: monotonicMilliseconds, unixMilliseconds: unixMilliseconds)
    }
}
