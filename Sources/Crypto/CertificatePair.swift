internal import COpenSSL

/// Checks whether a certificate and a private key can be used together for TLS, before a listener is opened.
package enum CertificatePair {
    package enum Problem: Error, Equatable {
        /// The text contains no certificate, or a certificate that OpenSSL cannot read.
        case unreadableCertificate
        /// The text contains no key that OpenSSL can read, or a key with a passphrase.
        case unreadableKey
        /// The key does not match any of the certificates.
        case mismatch
        /// The key matches a certificate other than the first.
        /// - Parameter place: the position of that certificate, from 1.
        case wrongOrder(place: Int, count: Int)
    }

    /// Reads the pair. Accepts an expired certificate, although clients reject it.
    /// - Parameters:
    ///   - certificates: PEM; the first certificate is the server's. Other blocks and text outside of blocks are dropped.
    ///   - key: PEM, without a passphrase; the first private key is used.
    package static func read(certificates text: String, key: String) throws(Problem) -> (certificates: String, key: String) {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let key = unsafe PEMText.reading(key, { unsafe deskgate_read_private_key($0) }) else {
            throw expiry(ofCertificate: text) == nil ? .unreadableCertificate : .unreadableKey
        }
        defer { unsafe EVP_PKEY_free(key) }
        var (texts, owners) = ([String](), [Int]())
        let isWhole = unsafe PEMText.reading(text) { bio -> Bool? in
            while let certificate = unsafe deskgate_read_certificate(bio) {
                defer { unsafe X509_free(certificate) }
                guard let text = unsafe PEMText.written({ unsafe PEM_write_bio_X509($0, certificate) }) else { return false }
                texts.append(text)
                if unsafe X509_check_private_key(certificate, key) == 1 { owners.append(texts.count) }
                ErrorQueue.clear()
            }
            return deskgate_is_end_of_pem() == 1
        }
        guard isWhole == true, !texts.isEmpty else { throw .unreadableCertificate }
        guard let owner = owners.first else { throw .mismatch }
        guard owner == 1 else { throw .wrongOrder(place: owner, count: texts.count) }
        guard let key = unsafe PEMText.written({ unsafe deskgate_write_private_key($0, key) }) else { throw .unreadableKey }
        return (texts.joined(), key)
    }

    /// Returns the name of the issuer whose certificate clients need but do not receive, such as `CN=R11,O=Let's Encrypt,C=US`.
    ///
    /// Returns nil when the certificate of the first certificate's issuer is in the text, or is trusted by the system. Also returns nil for
    /// a private authority, whose certificates contain no address of the issuer's certificate, because its clients are configured to trust
    /// it.
    package static func missingIssuer(ofCertificates text: String) -> String? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        return unsafe PEMText.reading(text) { bio -> String? in
            guard let own = unsafe deskgate_read_certificate(bio) else { return nil }
            defer { unsafe X509_free(own) }
            guard unsafe deskgate_names_issuer_address(own), unsafe X509_check_issued(own, own) != X509_V_OK else { return nil }
            while let other = unsafe deskgate_read_certificate(bio) {
                defer { unsafe X509_free(other) }
                if unsafe X509_check_issued(other, own) == X509_V_OK { return nil }
            }
            guard unsafe !deskgate_is_issuer_trusted(own) else { return nil }
            return unsafe PEMText.written { unsafe deskgate_write_issuer($0, own) }
        }
    }

    /// Returns the expiry of the first certificate in a PEM text, in Unix seconds; nil when OpenSSL cannot read a certificate.
    package static func expiry(ofCertificate text: String) -> UInt64? {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let certificate = unsafe PEMText.reading(text, { unsafe deskgate_read_certificate($0) }) else { return nil }
        defer { unsafe X509_free(certificate) }
        let seconds = unsafe deskgate_not_after(certificate)
        return seconds < 0 ? nil : UInt64(seconds)
    }
}
