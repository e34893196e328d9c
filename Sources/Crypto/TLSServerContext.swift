internal import COpenSSL

/// What all TLS connections of an HTTP/2 server have in common: its certificate, TLS 1.2 or later, and ALPN, which must agree on `h2`.
// Sendable, because OpenSSL counts references to a context under its own lock and nothing here changes it once it is made.
@safe package final class TLSServerContext: @unchecked Sendable {
    let raw: OpaquePointer

    /// Prepares TLS.
    /// - Parameters:
    ///   - certificate: PEM: the server's certificate, then its chain.
    ///   - key: its private key, PEM, without a passphrase.
    /// - Throws: when one of them cannot be read or they do not belong together.
    package init(certificate: String, key: String) throws(CryptoError) {
        ErrorQueue.clear()
        guard let raw = unsafe deskgate_tls_server_context() else { throw CryptoError(draining: .prepareTLS) }
        unsafe self.raw = raw
        let isUsable =
            unsafe PEMText.reading(certificate) { unsafe Self.use(certificates: $0, raw) } == true
            && PEMText.reading(key) { unsafe Self.use(key: $0, raw) } == true && SSL_CTX_check_private_key(raw) == 1
        guard isUsable else { throw CryptoError(draining: .prepareTLS) }
        // The end of the certificates was found by an error.
        ErrorQueue.clear()
    }

    deinit {
        unsafe SSL_CTX_free(raw)
    }

    private static func use(certificates text: OpaquePointer, _ context: OpaquePointer) -> Bool {
        guard let own = unsafe deskgate_read_certificate(text) else { return false }
        defer { unsafe X509_free(own) }
        guard unsafe SSL_CTX_use_certificate(context, own) == 1 else { return false }
        while let next = unsafe deskgate_read_certificate(text) {
            guard unsafe deskgate_tls_add_chain_certificate(context, next) == 1 else {
                unsafe X509_free(next)
                return false
            }
        }
        return true
    }

    private static func use(key text: OpaquePointer, _ context: OpaquePointer) -> Bool {
        guard let key = unsafe deskgate_read_private_key(text) else { return false }
        defer { unsafe EVP_PKEY_free(key) }
        return unsafe SSL_CTX_use_PrivateKey(context, key) == 1
    }
}
