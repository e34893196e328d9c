/// The one server that a client talks to, known by what it shows of itself and not by its name: a server of one's own, whose certificate may be
/// for another name than it is asked by, and of an authority that nobody else knows.
package struct PinnedServer: Sendable, Equatable {
    /// Its certificate and the chain behind it, PEM: all that is trusted.
    package let certificate: String
    /// The SHA-256 of its public key in base64: of the SubjectPublicKeyInfo in DER, as HTTP Public Key Pinning had it (RFC 7469 section 2.4).
    package let keyDigest: String

    /// Names a server.
    package init(certificate: String, keyDigest: String) {
        self.certificate = certificate
        self.keyDigest = keyDigest
    }
}
