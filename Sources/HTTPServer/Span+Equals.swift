internal import Glibc

extension Span<UInt8> {
    /// Whether these bytes are exactly those of `text`, without making a `String` of them.
    ///
    /// Not in constant time: for paths, methods and header names, never for secrets.
    package func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && equals(prefixOf: text)
    }

    /// Whether these bytes are the first of `text`, under the same rule.
    func equals(prefixOf text: StaticString) -> Bool {
        guard count <= text.utf8CodeUnitCount else { return false }
        return unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe memcmp(start, text.utf8Start, bytes.count) == 0
        }
    }
}
