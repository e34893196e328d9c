internal import COpenSSL

/// OpenSSL's implementation of HMAC, fetched once a process because EVP_MAC_fetch(3) searches every provider.
// Sendable, because a fetched EVP_MAC is never changed, and its references are counted atomically.
@safe struct HMACAlgorithm: @unchecked Sendable {
    let pointer: OpaquePointer

    /// The implementation, or why there is none; never freed, as it lives as long as the process.
    static let fetched: Result<HMACAlgorithm, CryptoError> = {
        ErrorQueue.clear()
        guard let pointer = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return .failure(CryptoError(draining: .fetchHMAC)) }
        return unsafe .success(HMACAlgorithm(pointer: pointer))
    }()
}
