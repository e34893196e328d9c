internal import COpenSSL

/// Checks whether a certificate and a private key can be used together for TLS, before a listener is opened.
package enum CertificatePair {
    package enum Problem: Error, Equatable {
        /// The text contains no certificate, or one that OpenSSL cannot read.
        case unreadableCertificate
        /// The text contains no key that OpenSSL can read, or the key has a passphrase.
        case unreadableKey
        /// The key belongs to none of the certificates.
        case mismatch
        /// The key belongs to a certificate that is not the first.
        /// - Parameter place: of that certificate, from 1.
        case wrongOrder(place: Int, count: Int)
    }

    /// Reads the pair. An expired certificate is accepted, although clients refuse it.
    /// - Parameters:
    ///   - certificates: PEM; the first certificate in it is the server's. Other blocks, and text outside of blocks, are left out.
    ///   - key: PEM, without a passphrase; its first private key counts.
    /// - Returns: the certificates and the key in PEM, without anything else.
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

    /// The name of the issuer whose certificate clients need and do not get, such as `CN=R11,O=Let's Encrypt,C=US`.
    ///
    /// Nil when the issuer of the first certificate is in the text or among those that the system trusts. Nil also for an authority that is
    /// not of the web, which its certificates show by naming no address to load the issuer's from: its clients know what they trust.
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
