internal import Bytes

/// A reader of one line of the header `Forwarded` (RFC 7239 section 4).
///
/// The whole line must follow the grammar. Otherwise a quotation mark that a client has left open could hide what a proxy appended.
struct ForwardedLine {
    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The address in `for` of each element, nil for an element without one; nil when the line is malformed.
    static func hops(of line: [UInt8]) -> [IPAddress?]? {
        var reader = ForwardedLine(line)
        var hops: [IPAddress?] = []
        repeat {
            reader.skipSpaces()
            guard let hop = reader.element() else { return nil }
            hops.append(hop)
            reader.skipSpaces()
        } while reader.take(UInt8(ascii: ","))
        return reader.index == line.count ? hops : nil
    }

    /// Parses pairs separated by semicolons; nil when they are malformed.
    private mutating func element() -> IPAddress?? {
        var names: Set<[UInt8]> = []
        var hop: IPAddress?
        repeat {
            // A pair may be empty.
            guard let name = token() else { continue }
            guard names.insert(name).inserted, take(UInt8(ascii: "=")), let value = token(lowercased: false) ?? quotedText() else {
                return .none
            }
            if name.elementsEqual("for".utf8) { hop = forwardedNode(value[...], isBareIPv6Allowed: false) }
        } while take(UInt8(ascii: ";"))
        return .some(hop)
    }

    /// Reads a token (RFC 9110 section 5.6.2); nil when there is none.
    private mutating func token(lowercased: Bool = true) -> [UInt8]? {
        let start = index
        while index < bytes.count, Self.isTokenByte(bytes[index]) { index += 1 }
        guard index > start else { return nil }
        return bytes[start..<index].map { lowercased && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Reads a quoted string (RFC 9110 section 5.6.4) without its quotation marks; nil when there is none.
    private mutating func quotedText() -> [UInt8]? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        var text: [UInt8] = []
        while index < bytes.count {
            if take(UInt8(ascii: "\"")) { return text }
            if take(UInt8(ascii: "\\")), index == bytes.count { return nil }
            guard Self.isText(bytes[index]) else { return nil }
            text.append(bytes[index])
            index += 1
        }
        return nil
    }

    private mutating func skipSpaces() {
        while index < bytes.count, ForwardedChain.isSpace(bytes[index]) { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private static func isText(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\t") || byte >= 0x20 && byte != 0x7F }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
