internal import Glibc

/// Finds nesting beyond a limit before jansson, whose parser and destructor recurse, sees the text.
struct NestingScan {
    /// Returns the error at the first bracket that opens a level beyond `limit`, or nil.
    ///
    /// For a text that is not JSON the answer holds up to its first syntax error, which is as far as a parser goes.
    static func error(in bytes: Span<UInt8>, beyond limit: Int) -> JSONError? {
        // Nearly every body has fewer brackets than levels allowed, and finding them with memchr costs nanoseconds.
        let brackets = count(of: UInt8(ascii: "{"), in: bytes, upTo: limit + 1) + count(of: UInt8(ascii: "["), in: bytes, upTo: limit + 1)
        guard brackets > limit, let index = firstBracket(in: bytes, beyond: limit) else { return nil }
        return JSONError(reason: .tooDeep, endingAt: index + 1, of: bytes)
    }

    /// How often a byte occurs, within strings too; counting ends at `most`.
    private static func count(of byte: UInt8, in bytes: Span<UInt8>, upTo most: Int) -> Int {
        unsafe bytes.withUnsafeBytes { buffer in
            guard var rest = buffer.baseAddress else { return 0 }
            let end = unsafe rest + buffer.count
            var count = 0
            while count < most, let found = unsafe memchr(rest, Int32(byte), end - rest) {
                count += 1
                unsafe rest = UnsafeRawPointer(found) + 1
            }
            return count
        }
    }

    private static func firstBracket(in bytes: Span<UInt8>, beyond limit: Int) -> Int? {
        var depth = 0
        var inString = false
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): inString.toggle()
            case UInt8(ascii: "\\") where inString: index += 1
            case let byte where !inString && isOpening(byte):
                depth += 1
                if depth > limit { return index }
            case let byte where !inString && isClosing(byte): depth -= 1
            default: break
            }
            index += 1
        }
        return nil
    }

    /// `[` is 0x5B and `{` is 0x7B: one bit apart.
    private static func isOpening(_ byte: UInt8) -> Bool {
        byte | 0x20 == UInt8(ascii: "{")
    }

    /// `]` is 0x5D and `}` is 0x7D: one bit apart.
    private static func isClosing(_ byte: UInt8) -> Bool {
        byte | 0x20 == UInt8(ascii: "}")
    }
}

extension JSONError {
    /// Describes a mistake whose last byte is the one before `offset`.
    init(reason: Reason, endingAt offset: Int, of bytes: Span<UInt8>) {
        let place = offset > 0 ? JSONPlace(of: offset - 1, in: bytes) : JSONPlace(line: 1, column: 1)
        self.init(reason: reason, line: place.line, column: place.column, offset: offset)
    }
}
