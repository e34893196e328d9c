package import Bytes
package import Crypto
package import HTTPServer

extension Configuration {
    /// Restrictions on callers of the public listener, in addition to what each request proves. Without any, all callers are admitted.
    package struct Callers: Sendable {
        /// The networks that may call; nil for all. Callers through a Unix socket are in no network, and may always call.
        package var networks: [IPNetwork]?
        /// The issuers of client certificates, which every caller must show in its TLS handshake; nil requires none.
        package var clientAuthorities: ClientAuthorities?
        /// The header that every call must have; nil for none.
        package var sharedHeader: SharedHeader?
        /// The proxies that are asked where a call comes from; nil when each call comes from its connection's other end.
        package var trustedProxies: TrustedProxies?

        package var areRestricted: Bool { networks != nil || clientAuthorities != nil || sharedHeader != nil }
    }

    /// A header whose value only the callers know.
    package struct SharedHeader: Sendable {
        /// Characters that RFC 9110 section 5.6.2 allows.
        package var name: String
        /// Accepted values; several while one replaces another.
        package var secrets: [SecretBytes]
    }
}
