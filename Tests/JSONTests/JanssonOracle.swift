import CJansson
import Glibc

@testable import JSON

// jansson as an independent implementation to compare with.
extension JSONValue {
    /// Parses a text with jansson, numbers as the nearest `Double`; nil when jansson rejects it.
    init?(readByJansson text: [UInt8]) {
        var failure = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL)
        let root = unsafe text.withUnsafeBytes { bytes in
            unsafe json_loadb(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, flags, &failure)
        }
        guard let root = unsafe root else { return nil }
        defer { unsafe json_decref(root) }
        unsafe self.init(copying: root)
    }

    private init(copying json: UnsafeMutablePointer<json_t>) {
        switch unsafe json.pointee.type {
        case JSON_OBJECT:
            var object = JSONObject()
            var iterator = unsafe json_object_iter(json)
            while let current = unsafe iterator {
                let key = unsafe Self.text(json_object_iter_key(current), json_object_iter_key_len(current))
                unsafe object.append(JSONValue(copying: json_object_iter_value(current)), forKey: key)
                unsafe iterator = json_object_iter_next(json, current)
            }
            self = .object(object)
        case JSON_ARRAY: self = unsafe .array((0..<json_array_size(json)).map { unsafe JSONValue(copying: json_array_get(json, $0)) })
        case JSON_STRING: self = unsafe .string(Self.text(json_string_value(json), json_string_length(json)))
        case JSON_INTEGER: self = unsafe .integer(json_integer_value(json))
        case JSON_REAL: self = unsafe .real(json_real_value(json))
        case JSON_TRUE: self = true
        case JSON_FALSE: self = false
        default: self = nil
        }
    }

    private static func text(_ start: UnsafePointer<CChar>, _ count: Int) -> String {
        unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The value with each number replaced by the nearest `Double`, as jansson parses it.
    var withDoubles: JSONValue {
        switch self {
        case .number(let number): .real(number.double)
        case .array(let values): .array(values.map(\.withDoubles))
        case .object(let object): .object(object.mapValues { $1.value.withDoubles })
        default: self
        }
    }

    /// The value with each number that has a fraction replaced by null, because jansson writes 17 digits of it.
    var withoutNumbers: JSONValue {
        switch self {
        case .number: nil
        case .array(let values): .array(values.map(\.withoutNumbers))
        case .object(let object): .object(object.mapValues { $1.value.withoutNumbers })
        default: self
        }
    }

    /// jansson's text of a value without fractions.
    func writtenByJansson(pretty: Bool) -> [UInt8] {
        let json = unsafe makeJansson()
        defer { unsafe json_decref(json) }
        // The macro JSON_INDENT(2) is 2.
        let layout = pretty ? 2 : Int(JSON_COMPACT)
        guard let text = unsafe json_dumps(json, layout | Int(JSON_ENCODE_ANY)) else { fatalError("jansson cannot write a value") }
        defer { unsafe free(text) }
        return unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    private func makeJansson() -> UnsafeMutablePointer<json_t> {
        let json =
            switch self {
            case .null: unsafe json_null()
            case .bool(let value): unsafe value ? json_true() : json_false()
            case .integer(let value): unsafe json_integer(json_int_t(value))
            case .number(let value): unsafe json_real(value.double)
            case .string(let value): unsafe value.withCString { unsafe json_stringn_nocheck($0, value.utf8.count) }
            case .array(let values): unsafe Self.makeArray(values)
            case .object(let object): unsafe Self.makeObject(object)
            }
        guard let json = unsafe json else { fatalError("jansson cannot make a value") }
        return unsafe json
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
