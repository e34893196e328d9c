internal import Crypto

/// Texts that nobody can guess, for identifiers and secrets of simulators.
enum RandomText {
    /// So many random bytes in lower-case hexadecimal.
    static func hexadecimal(bytes count: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        do throws(CryptoError) {
            try fillWithRandomBytes(&span)
        } catch {
            fatalError(error.description)
        }
        return bytes.reduce(into: "") { text, byte in
            text += String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
        }
    }

    /// A UUID of version 4 (RFC 9562 section 5.4) in lower case.
    static func uuid() -> String {
        var digits = Array(hexadecimal(bytes: 16))
        digits[12] = "4"
        digits[16] = "8"
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return groups.joined(separator: "-")
    }
}
