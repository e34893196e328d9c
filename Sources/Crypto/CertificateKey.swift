internal import COpenSSL

/// Identifies a server by the public key in its certificate.
package enum CertificateKey {
    /// Returns the SHA-256 of the SubjectPublicKeyInfo in DER (RFC 5280 section 4.1) of the first certificate in a PEM text; nil when
    /// OpenSSL can read no certificate.
    package static func digest(ofCertificate text: String) -> [UInt8]? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let certificate = unsafe PEMText.reading(text, { unsafe deskgate_read_certificate($0) }) else { return nil }
        defer { unsafe X509_free(certificate) }
        guard let key = unsafe X509_get_X509_PUBKEY(certificate) else { return nil }
        return unsafe encoded(key).flatMap { try? sha256($0.span) }
    }

    private static func encoded(_ key: OpaquePointer) -> [UInt8]? {
        let count = unsafe i2d_X509_PUBKEY(key, nil)
        guard count > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        let written = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
            // OpenSSL moves the pointer to the end of the written bytes.
            var end = bytes.baseAddress
            return unsafe i2d_X509_PUBKEY(key, &end)
        }
        return written == count ? bytes : nil
    }
}
