/// What a header may hold when it is sent.
enum HeaderRules {
    // They decide where a message ends or whether the connection stays; two opinions on that are request smuggling.
    private static let framing = ["connection", "content-length", "expect", "te", "trailer", "transfer-encoding", "upgrade"]

    /// Whether a name is a token (RFC 9110 section 5.6.2) and not one that the library sends itself.
    static func isSendable(name: String) -> Bool {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else { return false }
        return !framing.contains { $0.utf8.count == name.utf8.count && equalsIgnoringCase($0.utf8, name.utf8) }
    }

    /// Whether a value is visible bytes, spaces and tabs (RFC 9110 section 5.5).
    static func isSendable(value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
    }

    /// Compares names as RFC 9110 section 5.1 does: ASCII letters in either case are the same.
    static func equalsIgnoringCase(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Bool {
        left.elementsEqual(right) { lowercase($0) == lowercase($1) }
    }

    /// The lower case of an ASCII letter, or the byte itself.
    static func lowercase(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"): true
        default: "!#$%&'*+.^_`|~".utf8.contains(byte)
        }
    }
}
