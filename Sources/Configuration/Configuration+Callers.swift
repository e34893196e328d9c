package import Bytes
package import Crypto
package import HTTPServer

extension Configuration {
    /// Who may call the public listener, beyond what each request proves. Without any, everybody may.
    package struct Callers: Sendable {
        /// The networks that may call; nil for all. Callers through a Unix socket are in no network, and may always call.
        package var networks: [IPNetwork]?
        /// Who issues the certificate that every caller must show in its TLS handshake; nil for none.
        package var clientAuthorities: ClientAuthorities?
        /// The header that every call must have; nil for none.
        package var sharedHeader: SharedHeader?
        /// The proxies that are asked where a call comes from; nil when each call comes from its connection's other end.
        package var trustedProxies: TrustedProxies?

        package var areRestricted: Bool { networks != nil || clientAuthorities != nil || sharedHeader != nil }
    }

    /// A header whose value only the callers know.
    package struct SharedHeader: Sendable {
        /// Its name, of characters that RFC 9110 section 5.6.2 allows.
        package var name: String
        /// Its values; several while one replaces another.
        package var secrets: [SecretBytes]
    }
}
