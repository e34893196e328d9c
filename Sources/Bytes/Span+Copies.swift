extension String {
    /// Copies UTF-8 text; replaces invalid bytes with U+FFFD.
    package init(repairing bytes: Span<UInt8>) {
        unsafe self = bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension [UInt8] {
    package init(copying bytes: Span<UInt8>) {
        unsafe self = bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
