package import Bytes
package import Crypto
package import HTTPServer

extension Configuration {
    /// Restrictions on callers of the public listener, in addition to the authentication of each request. Without restrictions, all callers
    /// are admitted.
    package struct Callers: Sendable {
        /// The networks whose addresses may call; nil for all. Callers through a Unix socket have no address, and may always call.
        package var networks: [IPNetwork]?
        /// The issuers of client certificates. Every caller must present a certificate in its TLS handshake; nil requires none.
        package var clientAuthorities: ClientAuthorities?
        /// The header that every call must have; nil when no header is required.
        package var sharedHeader: SharedHeader?
        /// The proxies whose headers identify the origin of a call; nil when the origin is the peer address of the connection.
        package var trustedProxies: TrustedProxies?

        package var areRestricted: Bool { networks != nil || clientAuthorities != nil || sharedHeader != nil }
    }

    /// A header with a secret value that the callers share.
    package struct SharedHeader: Sendable {
        /// The header's name: characters that RFC 9110 section 5.6.2 allows.
        package var name: String
        /// Accepted values; more than one during a rotation.
        package var secrets: [SecretBytes]
    }
}
