internal import CJansson

/// A parsed JSON text, owned: it is freed when this value ends.
///
/// The text is strict JSON (RFC 8259): UTF-8 without a byte order mark, no duplicate keys, nothing after the value, integers within 64 bits.
/// `\u0000` is allowed in a string and refused in a key. Reading it allocates nothing in Swift, except for `value()`.
@safe
package struct JSONDocument: ~Copyable {
    /// How deep arrays and objects may be nested where nothing else is said.
    package static let usualDepth = 32

    private let root: UnsafeMutablePointer<json_t>

    /// Parses `bytes`, with arrays and objects nested at most `maximumDepth` deep.
    ///
    /// The size is the caller's to bound. Throws at the first mistake.
    package init(parsing bytes: Span<UInt8>, maximumDepth: Int = usualDepth) throws(JSONError) {
        if let error = NestingScan.error(in: bytes, beyond: maximumDepth) { throw error }
        unsafe root = try Jansson.load(bytes)
    }

    deinit {
        unsafe json_decref(root)
    }

    /// Lends the UTF-8 bytes of a string member of the root object, so that calls can be nested; they may hold NUL and end with the closure.
    ///
    /// Throws when the root is not an object, or the member is missing, null or no string, and what `body` throws.
    package borrowing func withString<Result>(
        _ name: StaticString, _ body: (Span<UInt8>) throws(JSONFieldError) -> Result
    ) throws(JSONFieldError) -> Result {
        let member = unsafe try string(name)
        let bytes = unsafe UnsafeRawBufferPointer(start: json_string_value(member), count: json_string_length(member))
        return try unsafe body(bytes.bindMemory(to: UInt8.self).span)
    }

    /// Copies the whole document, with the members of objects in the order of the text.
    package borrowing func value() -> JSONValue {
        unsafe JSONValue(copying: root)
    }

    private borrowing func string(_ name: StaticString) throws(JSONFieldError) -> UnsafeMutablePointer<json_t> {
        guard unsafe root.pointee.type == JSON_OBJECT else { throw JSONFieldError(name: name, problem: .rootNotAnObject) }
        let key = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let member = unsafe json_object_getn(root, key, name.utf8CodeUnitCount) else {
            throw JSONFieldError(name: name, problem: .missing)
        }
        switch unsafe member.pointee.type {
        case JSON_STRING: return unsafe member
        case JSON_NULL: throw JSONFieldError(name: name, problem: .null)
        default: throw JSONFieldError(name: name, problem: .notAString)
        }
    }
}
