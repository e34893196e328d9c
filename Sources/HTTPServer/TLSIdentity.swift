/// What a TLS server shows of itself. The key stays in memory for as long as the server runs.
package struct TLSIdentity: Sendable, Equatable {
    /// The certificate and its chain, PEM, the server's own first.
    package let certificate: String
    let key: String

    /// Makes an identity.
    /// - Parameters:
    ///   - certificate: the certificate and its chain, PEM, the server's own first.
    ///   - key: its private key, PEM, without a passphrase.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
