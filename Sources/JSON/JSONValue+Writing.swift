internal import CJansson
internal import Glibc

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
