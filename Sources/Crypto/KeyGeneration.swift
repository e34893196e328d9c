internal import COpenSSL

/// Makes private keys for simulators and tests, as the texts that vendors hand out: PKCS#8 in PEM, without a passphrase.
package enum KeyGeneration {
    /// A key on P-256 for ES256, as Apple's .p8 files hold. Throws when OpenSSL fails.
    package static func p256() throws(CryptoError) -> String {
        ErrorQueue.clear()
        return try unsafe text(of: deskgate_generate_p256())
    }

    /// An RSA key of 2048 bits for RS256, as Google's service accounts have. Takes a tenth of a second. Throws when OpenSSL fails.
    package static func rsa2048() throws(CryptoError) -> String {
        ErrorQueue.clear()
        return try unsafe text(of: deskgate_generate_rsa(2048))
    }

    private static func text(of key: OpaquePointer?) throws(CryptoError) -> String {
        guard let key = unsafe key else { throw CryptoError(draining: .makeKey) }
        defer { unsafe EVP_PKEY_free(key) }
        guard let text = unsafe PEMText.written({ unsafe deskgate_write_private_key($0, key) }) else {
            throw CryptoError(draining: .makeKey)
        }
        return text
    }
}
