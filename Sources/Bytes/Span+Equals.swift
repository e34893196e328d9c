internal import Glibc

extension String {
    /// Whether the UTF-8 bytes are equal; not in constant time. Swift's `==` also accepts canonically equivalent text, and `elementsEqual`
    /// takes several times as long.
    package func hasSameBytes(as other: String) -> Bool {
        let (own, others) = (utf8.span, other.utf8.span)
        guard own.count == others.count else { return false }
        return unsafe own.withUnsafeBytes { bytes in
            unsafe others.withUnsafeBytes { otherBytes in
                guard let start = bytes.baseAddress, let otherStart = otherBytes.baseAddress else { return true }
                return unsafe memcmp(start, otherStart, bytes.count) == 0
            }
        }
    }
}

extension Hasher {
    /// Adds the UTF-8 bytes of a text and a terminator.
    ///
    /// `combine` adds the same value for all canonically equivalent texts. A caller that chooses texts could send thousands of texts with
    /// different bytes and equal hashes, and each lookup would compare all of them. This function adds the bytes to SipHash, which uses a
    /// secret key of the process.
    package mutating func combine(bytesOf text: String) {
        let bytes = text.utf8.span
        unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
        // This byte never occurs in UTF-8, so two different sequences of texts never add the same bytes.
        combine(UInt8.max)
    }
}

/// Comparisons that create no `String`. They do not take constant time: use them for paths, methods and names, never for secrets.
extension Span<UInt8> {
    package func equals(_ text: StaticString) -> Bool {
        count == text.utf8CodeUnitCount && equals(prefixOf: text)
    }

    /// Whether these bytes are a prefix of `text`.
    package func equals(prefixOf text: StaticString) -> Bool {
        guard count <= text.utf8CodeUnitCount else { return false }
        return unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return true }
            return unsafe memcmp(start, text.utf8Start, bytes.count) == 0
        }
    }

    /// Compares ASCII letters without regard to case.
    /// - Parameter text: in lower case.
    @inlinable
    @inline(__always)
    package func equalsIgnoringCase(_ text: StaticString) -> Bool {
        // Compares the lengths first: this rejects nearly all other header names without a call.
        count == text.utf8CodeUnitCount && hasLettersEqual(to: text)
    }

    /// Compares in the locale "C", the default until the program calls setlocale(3). A NUL in these bytes equals no character of `text`.
    @usableFromInline
    @inline(never)
    func hasLettersEqual(to text: StaticString) -> Bool {
        unsafe withUnsafeBytes { bytes in
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self) else { return true }
            let other = unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
            return unsafe strncasecmp(start, other, bytes.count) == 0
        }
    }

    /// Whether a byte is an ASCII control character: below 0x20, or 0x7F. The loop has no branches and no bounds checks, so that the
    /// processor checks many bytes at once.
    package var hasControlCharacter: Bool {
        var found: UInt8 = 0
        for index in 0..<count {
            let byte = unsafe self[unchecked: index]
            found |= byte < 0x20 ? 1 : 0
            found |= byte == 0x7F ? 1 : 0
        }
        return found != 0
    }
}
