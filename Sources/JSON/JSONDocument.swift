internal import Bytes
internal import CJansson
internal import Glibc

/// A parsed JSON text.
///
/// The text is strict JSON (RFC 8259): UTF-8 without a byte order mark, no duplicate keys, nothing after the value, integers within 64
/// bits, other numbers finite as a `Double`. `\u0000` is allowed in a string and rejected in a key.
package struct JSONDocument: Sendable {
    /// The default maximum depth of arrays and objects.
    package static let defaultDepth = 32

    private let root: JSONElement

    /// Parses `bytes`, with arrays and objects nested at most `maximumDepth` deep.
    ///
    /// The caller must limit the size. Throws at the first error.
    package init(parsing bytes: Span<UInt8>, maximumDepth: Int = defaultDepth) throws(JSONError) {
        guard let tape = JSONTape.strict(Array(copying: bytes), maximumDepth: maximumDepth) else {
            throw JSONTape.refusal(of: bytes, maximumDepth: maximumDepth)
        }
        root = JSONElement(tape, 0)
    }

    /// Passes the UTF-8 bytes of a string member of the root object to `body`. The bytes may contain NUL, and are valid only during the
    /// call.
    ///
    /// Throws when the root is not an object, or the member is missing, null or not a string, and rethrows the error of `body`.
    package func withString<Result>(
        _ name: StaticString, _ body: (Span<UInt8>) throws(JSONFieldError) -> Result
    ) throws(JSONFieldError) -> Result {
        let bytes = try string(name)
        return try body(bytes.span)
    }

    /// Copies the whole document, with the members of objects in the order of the text.
    package func value() -> JSONValue { root.value }

    private func string(_ name: StaticString) throws(JSONFieldError) -> ArraySlice<UInt8> {
        guard root.isObject else { throw JSONFieldError(name: name, problem: .rootNotAnObject) }
        guard let member = root[name] else { throw JSONFieldError(name: name, problem: .missing) }
        if member.isNull { throw JSONFieldError(name: name, problem: .null) }
        guard let bytes = member.utf8 else { throw JSONFieldError(name: name, problem: .notAString) }
        return bytes
    }
}

/// Wraps the library jansson, which locates and names errors in a text that `JSONDocument` has rejected.
@safe
struct Jansson {
    /// Seeds jansson's hash tables with random data of the system, once and before any thread creates an object.
    private static let seeded: Void = json_object_seed(0)

    /// Returns the first error in a text by the rules of `JSONDocument`; nil when jansson finds none.
    static func error(in bytes: Span<UInt8>, maximumDepth: Int) -> JSONError? {
        if let error = NestingScan.error(in: bytes, beyond: maximumDepth) { return error }
        _ = seeded
        return unsafe bytes.withUnsafeBytes { buffer in
            let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            // jansson rejects a null pointer as an invalid argument, but an empty span is an empty text.
            guard let start = unsafe start else { return JSONError(reason: .endOfInput, line: 1, column: 1, offset: 0) }
            let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)
            var failure = json_error_t()
            guard let root = unsafe json_loadb(start, buffer.count, flags, &failure) else { return JSONError(failure, in: bytes) }
            unsafe json_decref(root)
            return nil
        }
    }
}

extension JSONError {
    /// Converts the code and the position from jansson. Its message is omitted, because it quotes the input.
    fileprivate init(_ failure: json_error_t, in bytes: Span<UInt8>) {
        let reason = Reason(failure, in: bytes)
        // For these reasons jansson stops before the error, otherwise after it.
        let isAhead = reason == .endOfInput || reason == .invalidUTF8
        self.init(
            reason: reason, line: Int(failure.line), column: Int(failure.column) + (isAhead ? 1 : 0), offset: Int(failure.position))
    }
}

extension JSONError.Reason {
    fileprivate init(_ failure: json_error_t, in bytes: Span<UInt8>) {
        switch unsafe withUnsafePointer(to: failure, { unsafe deskgate_json_error_code($0) }) {
        case json_error_out_of_memory: self = .outOfMemory
        case json_error_stack_overflow: self = .tooDeep
        case json_error_invalid_utf8: self = .invalidUTF8
        case json_error_end_of_input_expected: self = .trailingBytes
        case json_error_duplicate_key: self = .duplicateKey
        case json_error_null_byte_in_key: self = .nulInKey
        case json_error_numeric_overflow: self = .numberOutOfRange
        case json_error_premature_end_of_input: self = Self.endsAtNUL(failure, in: bytes) ? .syntax : .endOfInput
        default: self = Self.startsWithByteOrderMark(bytes) ? .byteOrderMark : .syntax
        }
    }

    /// Whether the last byte that jansson read is a NUL, which it treats as the end of the text outside of strings.
    private static func endsAtNUL(_ failure: json_error_t, in bytes: Span<UInt8>) -> Bool {
        failure.position > 0 && bytes[Int(failure.position) - 1] == 0
    }

    private static func startsWithByteOrderMark(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }
}

/// Finds excessive nesting before the text is passed to jansson, whose parser and destructor are recursive.
struct NestingScan {
    /// Returns the error at the first bracket that opens a level beyond `limit`, or nil.
    ///
    /// In a text that is not JSON, the result is correct up to the first syntax error, where a parser stops.
    static func error(in bytes: Span<UInt8>, beyond limit: Int) -> JSONError? {
        // Nearly every body has fewer brackets than allowed levels, and counting them with memchr takes only nanoseconds.
        let brackets = count(of: UInt8(ascii: "{"), in: bytes, upTo: limit + 1) + count(of: UInt8(ascii: "["), in: bytes, upTo: limit + 1)
        guard brackets > limit, let index = firstBracket(in: bytes, beyond: limit) else { return nil }
        return JSONError(reason: .tooDeep, endingAt: index + 1, of: bytes)
    }

    /// Counts a byte, including occurrences in strings, up to `most`.
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
    /// Creates an error whose last byte is the one before `offset`.
    init(reason: Reason, endingAt offset: Int, of bytes: Span<UInt8>) {
        let place = offset > 0 ? JSONPlace(of: offset - 1, in: bytes) : JSONPlace(line: 1, column: 1)
        self.init(reason: reason, line: place.line, column: place.column, offset: offset)
    }
}
