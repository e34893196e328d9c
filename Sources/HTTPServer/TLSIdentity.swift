/// The certificate and private key of a TLS server. The key stays in memory while the server runs.
package struct TLSIdentity: Sendable, Equatable {
    /// The certificate and its chain, PEM, the server's own certificate first.
    package let certificate: String
    let key: String

    /// - Parameters:
    ///     - certificate: the certificate and its chain, PEM, the server's own certificate first.
    ///   - key: its private key, PEM, without a passphrase.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
