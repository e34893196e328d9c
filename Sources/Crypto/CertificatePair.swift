internal import COpenSSL

/// Checks whether a certificate and a private key can be used together for TLS, before a listener is opened.
package enum CertificatePair {
    /// Why they cannot be used.
    package enum Problem: Sendable, Equatable {
        /// The text contains no certificate that OpenSSL can read.
        case unreadableCertificate
        /// The text contains no key that OpenSSL can read, or the key has a passphrase.
        case unreadableKey
        /// The key belongs to another certificate.
        case mismatch
    }

    /// Checks the pair; nil when it can be used. An expired certificate is accepted, although clients refuse it.
    /// - Parameters:
    ///   - certificate: PEM; the first certificate in it is the server's.
    ///   - key: PEM, without a passphrase.
    package static func problem(certificate: String, key: String) -> Problem? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let certificate = unsafe PEMText.reading(certificate, { unsafe deskgate_read_certificate($0) }) else {
            return .unreadableCertificate
        }
        defer { unsafe X509_free(certificate) }
        guard let key = unsafe PEMText.reading(key, { unsafe deskgate_read_private_key($0) }) else { return .unreadableKey }
        defer { unsafe EVP_PKEY_free(key) }
        return unsafe X509_check_private_key(certificate, key) == 1 ? nil : .mismatch
    }

    /// When the first certificate of a PEM text expires, in Unix seconds; nil when there is none that OpenSSL can read.
    package static func expiry(ofCertificate text: String) -> UInt64? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let certificate = unsafe PEMText.reading(text, { unsafe deskgate_read_certificate($0) }) else { return nil }
        defer { unsafe X509_free(certificate) }
        let seconds = unsafe deskgate_not_after(certificate)
        return seconds < 0 ? nil : UInt64(seconds)
    }
}
