internal import COpenSSL

extension KeyHandle {
    /// Signs the SHA-256 hash of a message in OpenSSL's own form: DER for EC, PKCS#1 v1.5 for RSA, EVP_DigestSign(3).
    func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        ErrorQueue.clear()
        guard let context = unsafe EVP_MD_CTX_new() else { throw CryptoError(draining: .sign) }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { throw CryptoError(draining: .sign) }
        let capacity = unsafe Int(EVP_PKEY_get_size(pointer))
        var status: Int32 = 0
        let signature = unsafe message.withUnsafeBufferPointer { message in
            unsafe [UInt8](unsafeUninitializedCapacity: capacity) { signature, count in
                var length = capacity
                unsafe status = EVP_DigestSign(context, signature.baseAddress, &length, message.baseAddress, message.count)
                count = status == 1 ? length : 0
            }
        }
        guard status == 1 else { throw CryptoError(draining: .sign) }
        return signature
    }

    /// Whether a signature in OpenSSL's own form is that of the message; anything that cannot be read is not, EVP_DigestVerify(3).
    func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool {
        ErrorQueue.clear()
        defer { ErrorQueue.clear() }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1 else { return false }
        return unsafe message.withUnsafeBufferPointer { message in
            unsafe signature.withUnsafeBufferPointer { signature in
                unsafe EVP_DigestVerify(context, signature.baseAddress, signature.count, message.baseAddress, message.count) == 1
            }
        }
    }
}
