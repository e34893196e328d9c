internal import CJansson

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
