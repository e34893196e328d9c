internal import Bytes
internal import CJansson
internal import Glibc

/// Any JSON value, for what is not on the hot path: configuration, responses, events.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A number with a fraction or an exponent; always finite.
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: Equatable {
    /// Compares kind and content, strings as bytes: what Unicode calls equivalent stays different here.
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left == right
        case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

// For reading what others wrote, where whatever is missing or of another kind says the same: nothing.
extension JSONValue {
    /// Reads strict JSON, as `JSONDocument` does; nil when it is none.
    package init?(parsing bytes: [UInt8]) {
        if let tape = JSONTape.plain(bytes, maximumDepth: JSONDocument.usualDepth) {
            self = JSONElement(tape, 0).value
        } else {
            guard !bytes.isEmpty, let document = try? JSONDocument(parsing: bytes.span) else { return nil }
            self = document.value()
        }
    }

    /// A member of an object; nil when there is none, or the value is no object.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    /// The value; nil for `null`. To other companies a member that is null is one that is absent.
    package var nonNull: JSONValue? {
        if case .null = self { nil } else { self }
    }

    /// The text of a string; nil for any other value.
    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number of an integer; nil for any other value.
    package var integer: Int64? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    /// The elements of a list; none for any other value.
    package var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// Whether it is an object.
    package var isObject: Bool {
        if case .object = self { true } else { false }
    }
}

extension JSONValue {
    /// Copies a jansson value and all below it; `json` stays its owner's. The recursion is as deep as the value, which the parser bounds.
    init(copying json: UnsafeMutablePointer<json_t>) {
        switch unsafe json.pointee.type {
        case JSON_OBJECT: self = unsafe .object(JSONObject(copying: json))
        case JSON_ARRAY: self = unsafe .array((0..<json_array_size(json)).map { unsafe JSONValue(copying: json_array_get(json, $0)) })
        case JSON_STRING: self = unsafe .string(String(utf8: json_string_value(json), count: json_string_length(json)))
        case JSON_INTEGER: self = unsafe .integer(json_integer_value(json))
        case JSON_REAL: self = unsafe .real(json_real_value(json))
        case JSON_TRUE: self = .bool(true)
        case JSON_FALSE: self = .bool(false)
        default: self = .null
        }
    }
}

extension JSONObject {
    /// Copies a jansson object, which keeps insertion order and whose keys differ.
    fileprivate init(copying json: UnsafeMutablePointer<json_t>) {
        var members: [Member] = []
        unsafe members.reserveCapacity(json_object_size(json))
        var iterator = unsafe json_object_iter(json)
        while let current = unsafe iterator {
            let key = unsafe String(utf8: json_object_iter_key(current), count: json_object_iter_key_len(current))
            unsafe members.append(Member(key: key, value: JSONValue(copying: json_object_iter_value(current))))
            unsafe iterator = json_object_iter_next(json, current)
        }
        self.init(distinct: members)
    }
}

extension String {
    /// Copies UTF-8 that jansson has validated, so that nothing is repaired.
    fileprivate init(utf8 start: UnsafePointer<CChar>, count: Int) {
        unsafe self.init(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

// Responses and command output are written as literals; a variable is named by its case, such as `.string(name)`.

extension JSONValue: ExpressibleByNilLiteral {
    /// Makes `null`.
    package init(nilLiteral: ()) {
        self = .null
    }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Makes `true` or `false`.
    package init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Makes an integer.
    package init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    /// Makes a string.
    package init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Makes an array.
    package init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Makes an object with the members of the literal in its order; a repeated key traps.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements {
            object.append(value, forKey: key)
        }
        self = .object(object)
    }
}

extension JSONValue {
    /// Writes the value as UTF-8 JSON text without a line end, on one line or indented by two spaces.
    ///
    /// Members keep their order; doubles have the 17 digits that read back exactly. An infinite or not-a-number real traps.
    package func serialized(pretty: Bool = false) -> [UInt8] {
        if pretty { return writtenByJansson(pretty: true) }
        var writer = JSONWriter(capacity: Self.usualBytes)
        writer.write(self)
        return writer.bytes
    }

    private static let usualBytes = 512

    /// The same text, by way of jansson's tree, which costs an allocation a value.
    func writtenByJansson(pretty: Bool) -> [UInt8] {
        let json = unsafe makeJansson()
        defer { unsafe json_decref(json) }
        let layout = pretty ? DESKGATE_JSON_INDENTED : Int(JSON_COMPACT)
        // A nil here and below means that memory is exhausted, where Swift's own allocations trap as well.
        guard let text = unsafe json_dumps(json, layout | Int(JSON_ENCODE_ANY)) else { fatalError("jansson cannot write a value") }
        defer { unsafe free(text) }
        // jansson writes NUL as \u0000, so the first zero byte is the end.
        return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// Builds the same value in jansson; the caller owns it.
    private func makeJansson() -> UnsafeMutablePointer<json_t> {
        let json =
            switch self {
            case .null: unsafe json_null()
            case .bool(let value): unsafe value ? json_true() : json_false()
            case .integer(let value): unsafe json_integer(json_int_t(value))
            case .real(let value): unsafe Self.makeReal(value)
            case .string(let value): unsafe value.withCString { unsafe json_stringn_nocheck($0, value.utf8.count) }
            case .array(let values): unsafe Self.makeArray(values)
            case .object(let object): unsafe Self.makeObject(object)
            }
        guard let json = unsafe json else { fatalError("jansson cannot make a value") }
        return unsafe json
    }

    private static func makeReal(_ value: Double) -> UnsafeMutablePointer<json_t>? {
        precondition(value.isFinite, "JSON has no infinity and no NaN")
        return unsafe json_real(value)
    }

    private static func makeArray(_ values: [JSONValue]) -> UnsafeMutablePointer<json_t>? {
        let array = unsafe json_array()
        for value in values {
            let status = unsafe json_array_append_new(array, value.makeJansson())
            precondition(status == 0, "jansson cannot extend an array")
        }
        return unsafe array
    }

    private static func makeObject(_ object: JSONObject) -> UnsafeMutablePointer<json_t>? {
        let json = unsafe json_object()
        for member in object.members {
            let status = unsafe member.key.withCString {
                unsafe json_object_setn_new_nocheck(json, $0, member.key.utf8.count, member.value.makeJansson())
            }
            precondition(status == 0, "jansson cannot extend an object")
        }
        return unsafe json
    }
}
