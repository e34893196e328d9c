internal import COpenSSL

/// SHA-256 of bytes, FIPS 180-4.
/// - Throws: when OpenSSL fails.
package func sha256(_ bytes: Span<UInt8>) throws(CryptoError) -> [UInt8] {
    ErrorQueue.clear()
    var digest = [UInt8](repeating: 0, count: 32)
    let isDone = unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe digest.withUnsafeMutableBufferPointer { digest in
            unsafe EVP_Digest(bytes.baseAddress, bytes.count, digest.baseAddress, nil, EVP_sha256(), nil) == 1
        }
    }
    guard isDone else { throw CryptoError(draining: .digest) }
    return digest
}
