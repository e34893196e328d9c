internal import CJansson

/// The calls into jansson's parser, with its errors turned into ours.
@safe
struct Jansson {
    /// Seeds jansson's hash tables from the system's randomness, once and before any thread makes an object.
    private static let seeded: Void = json_object_seed(0)

    /// Parses one strict JSON text; the caller owns the result and releases it with `json_decref`.
    ///
    /// Throws where the text is not JSON, or breaks a rule of `JSONDocument`.
    static func load(_ bytes: Span<UInt8>) throws(JSONError) -> UnsafeMutablePointer<json_t> {
        _ = seeded
        return try unsafe bytes.withUnsafeBytes { buffer throws(JSONError) in
            let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            // jansson takes a null pointer for a programmer's mistake; to us it is an empty text.
            guard let start = unsafe start else { throw JSONError(reason: .endOfInput, line: 1, column: 1, offset: 0) }
            let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)
            var failure = json_error_t()
            guard let root = unsafe json_loadb(start, buffer.count, flags, &failure) else {
                throw JSONError(failure, in: bytes)
            }
            return unsafe root
        }
    }
}

extension JSONError {
    /// Takes the code and the place from jansson; its text is dropped because it quotes the input.
    fileprivate init(_ failure: json_error_t, in bytes: Span<UInt8>) {
        let reason = Reason(failure, in: bytes)
        // Here jansson stopped before the mistake, everywhere else after it.
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

    /// Tells whether the last byte read was NUL, which outside a string jansson takes for the end.
    private static func endsAtNUL(_ failure: json_error_t, in bytes: Span<UInt8>) -> Bool {
        failure.position > 0 && bytes[Int(failure.position) - 1] == 0
    }

    private static func startsWithByteOrderMark(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
    }
}
