internal import COpenSSL

/// Owns secret bytes: passes them to closures, never prints them, and erases them on release (OPENSSL_cleanse(3)).
// Sendable, because the storage is written only in `init`, and erased only in `deinit`, when no other reference exists.
@safe package final class SecretBytes: @unchecked Sendable {
    private let storage: UnsafeMutableBufferPointer<UInt8>

    /// Allocates `count` zero bytes that `body` overwrites in place, so that no other copy is needed. If `body` throws, the bytes are
    /// erased too.
    package init<E: Error>(count: Int, filling body: (inout MutableSpan<UInt8>) throws(E) -> Void) throws(E) {
        unsafe storage = .allocate(capacity: count)
        unsafe storage.initialize(repeating: 0)
        var span = unsafe storage.mutableSpan
        try body(&span)
    }

    /// Copies `bytes`; the caller must erase its own copy.
    package convenience init(copying bytes: Span<UInt8>) {
        self.init(count: bytes.count) { span in
            for index in bytes.indices { span[index] = bytes[index] }
        }
    }

    deinit {
        unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
        unsafe storage.deallocate()
    }

    package var count: Int { unsafe storage.count }

    /// Passes the bytes to `body` for the duration of the call. Copies that `body` makes are not erased.
    package func withSpan<R: ~Copyable, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(unsafe storage.span)
    }
}

extension SecretBytes: Equatable {
    /// Compares in a time that depends only on the length.
    package static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withSpan { left in right.withSpan { right in constantTimeEquals(left, right) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }

    package var debugDescription: String { description }

    /// Empty, so that `dump` and test reports do not show the bytes.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Compares bytes in a time that depends only on their number (CRYPTO_memcmp(3)). Returns immediately for different lengths, because
/// lengths are not secret.
package func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

/// Compares codes or keys in a time that does not depend on their content.
package func constantTimeEquals<let count: Int>(_ left: InlineArray<count, UInt8>, _ right: InlineArray<count, UInt8>) -> Bool {
    constantTimeEquals(left.span, right.span)
}
