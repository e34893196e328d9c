internal import COpenSSL

/// Overwrites all of `bytes` with output of OpenSSL's generator, RAND_bytes(3), fit for salts and secrets.
///
/// At most 2^31 - 1 bytes. Throws when the generator cannot be seeded; then `bytes` must not be used.
package func fillWithRandomBytes(_ bytes: inout MutableSpan<UInt8>) throws(CryptoError) {
    ErrorQueue.clear()
    let status = unsafe bytes.withUnsafeMutableBufferPointer { unsafe RAND_bytes($0.baseAddress, Int32($0.count)) }
    guard status == 1 else { throw CryptoError(draining: .random) }
}

/// As many random bytes as the result's type says; throws as `fillWithRandomBytes` does.
package func randomBytes<let count: Int>() throws(CryptoError) -> InlineArray<count, UInt8> {
    var bytes = InlineArray<count, UInt8>(repeating: 0)
    var span = bytes.mutableSpan
    try fillWithRandomBytes(&span)
    return bytes
}
