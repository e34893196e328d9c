internal import COpenSSL

/// A new certificate for this machine only, with the authority that signed it, for simulators and tests. The certificate is not
/// self-signed, because strict clients reject the certificate of an authority for a server.
package struct LoopbackCertificate: Sendable {
    /// The authority's certificate in PEM, which clients must trust. The authority's key was discarded.
    package let authority: String
    /// The server's certificate in PEM, for `localhost`, 127.0.0.1 and ::1.
    package let certificate: String
    /// The server's private key in PEM.
    package let key: String

    private static let days = 30

    /// Creates both certificates, valid from yesterday until 30 days from now.
    package init() throws(CryptoError) {
        ErrorQueue.clear()
        let issuer = try unsafe Self.makeKey()
        defer { unsafe EVP_PKEY_free(issuer) }
        let key = try unsafe Self.makeKey()
        defer { unsafe EVP_PKEY_free(key) }
        let authority = try unsafe Self.makeCertificate("Deskgate simulator authority", key: issuer, issuer: nil, signedWith: issuer)
        defer { unsafe X509_free(authority) }
        let server = try unsafe Self.makeCertificate("localhost", key: key, issuer: authority, signedWith: issuer)
        defer { unsafe X509_free(server) }
        guard let authorityText = unsafe PEMText.written({ unsafe PEM_write_bio_X509($0, authority) }),
            let certificateText = unsafe PEMText.written({ unsafe PEM_write_bio_X509($0, server) }),
            let keyText = unsafe PEMText.written({ unsafe deskgate_write_private_key($0, key) })
        else { throw CryptoError(draining: .makeCertificate) }
        self.authority = authorityText
        certificate = certificateText
        self.key = keyText
    }

    private static func makeKey() throws(CryptoError) -> OpaquePointer {
        guard let key = unsafe deskgate_generate_p256() else { throw CryptoError(draining: .makeCertificate) }
        return unsafe key
    }

    /// Creates a certificate for `key`; without an issuer, the certificate of a self-signed authority. The caller must free it.
    private static func makeCertificate(
        _ name: String, key: OpaquePointer, issuer: OpaquePointer?, signedWith signer: OpaquePointer
    ) throws(CryptoError) -> OpaquePointer {
        guard let certificate = unsafe X509_new() else { throw CryptoError(draining: .makeCertificate) }
        let isMade =
            unsafe setFields(of: certificate, name, key: key, issuer: issuer ?? certificate)
            && addExtensions(to: certificate, issuer: issuer) && X509_sign(certificate, signer, EVP_sha256()) > 0
        guard isMade else {
            let error = CryptoError(draining: .makeCertificate)
            unsafe X509_free(certificate)
            throw error
        }
        return unsafe certificate
    }

    private static func setFields(of certificate: OpaquePointer, _ name: String, key: OpaquePointer, issuer: OpaquePointer) -> Bool {
        guard let random: InlineArray<7, UInt8> = try? randomBytes() else { return false }
        let serial = (0..<7).reduce(UInt64(1)) { $0 << 8 | UInt64(random[$1]) }
        let day = 24 * 60 * 60
        // RFC 5280 section 4.1: version 3 is encoded as 2.
        return unsafe X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1
            && X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), days * day) != nil
            && X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC, name, -1, -1, 0) == 1
            && X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 && X509_set_pubkey(certificate, key) == 1
    }

    private static func addExtensions(to certificate: OpaquePointer, issuer: OpaquePointer?) -> Bool {
        guard let issuer = unsafe issuer else {
            return unsafe deskgate_add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") == 1
                && deskgate_add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign") == 1
                && deskgate_add_extension(certificate, certificate, NID_subject_key_identifier, "hash") == 1
        }
        return unsafe deskgate_add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") == 1
            && deskgate_add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature") == 1
            && deskgate_add_extension(certificate, issuer, NID_ext_key_usage, "serverAuth") == 1
            && deskgate_add_extension(certificate, issuer, NID_authority_key_identifier, "keyid") == 1
            && deskgate_add_extension(certificate, issuer, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1,IP:::1") == 1
    }
}
