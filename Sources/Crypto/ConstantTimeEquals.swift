internal import COpenSSL

/// Whether two byte sequences are equal, in a time that depends on their lengths alone, CRYPTO_memcmp(3).
///
/// Sequences of unequal lengths differ, and are told apart at once: lengths are not secret.
package func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

/// Whether two codes or keys of one fixed length are equal, in a time that does not depend on their content.
package func constantTimeEquals<let count: Int>(_ left: InlineArray<count, UInt8>, _ right: InlineArray<count, UInt8>) -> Bool {
    constantTimeEquals(left.span, right.span)
}
