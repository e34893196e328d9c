internal import CJansson

/// Records a tree of jansson's as a tape: for the few texts that the scanner leaves to it.
@safe
struct TapeCopy {
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [JSONTape.Entry] = []

    /// Copies `json` and all below it, which stay their owner's. The recursion is as deep as the value, which the parser bounds.
    init(of json: UnsafeMutablePointer<json_t>) {
        unsafe append(json)
    }

    private mutating func append(_ json: UnsafeMutablePointer<json_t>) {
        let index = entries.count
        switch unsafe json.pointee.type {
        case JSON_OBJECT: unsafe appendObject(json)
        case JSON_ARRAY: unsafe appendArray(json)
        case JSON_STRING: unsafe appendString(json_string_value(json), json_string_length(json))
        case JSON_INTEGER: unsafe append(.integer, start: Int(json_integer_value(json)))
        case JSON_REAL: append(.real)
        case JSON_TRUE: append(.bool, start: 1)
        case JSON_FALSE: append(.bool)
        default: append(.null)
        }
        entries[index].end = entries.count
    }

    private mutating func appendObject(_ json: UnsafeMutablePointer<json_t>) {
        append(.object)
        var iterator = unsafe json_object_iter(json)
        while let current = unsafe iterator {
            unsafe appendString(json_object_iter_key(current), json_object_iter_key_len(current))
            unsafe append(json_object_iter_value(current))
            unsafe iterator = json_object_iter_next(json, current)
        }
    }

    private mutating func appendArray(_ json: UnsafeMutablePointer<json_t>) {
        append(.array)
        for index in unsafe 0..<json_array_size(json) { unsafe append(json_array_get(json, index)) }
    }

    /// Copies UTF-8 that jansson has validated and decoded.
    private mutating func appendString(_ text: UnsafePointer<CChar>, _ count: Int) {
        append(.string, start: bytes.count, count: count)
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: text, count: count))
    }

    private mutating func append(_ kind: JSONElement.Kind, start: Int = 0, count: Int = 0) {
        entries.append(JSONTape.Entry(kind: kind, start: start, count: count, end: entries.count + 1))
    }
}
