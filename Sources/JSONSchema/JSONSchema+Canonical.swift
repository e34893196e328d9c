package import JSON

extension JSONSchema {
    /// The one JSON text of all values that JSON Schema calls equal: members in the order of their names' bytes, numbers in one spelling, so
    /// that 1.0 is 1, nothing between tokens.
    package static func canonical(_ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    private static func append(_ value: JSONValue, to bytes: inout [UInt8]) {
        switch value {
        case .integer(let integer): bytes += ExactNumber(integer).text.utf8
        case .real(let real): bytes += ExactNumber(real).text.utf8
        case .null, .bool, .string: bytes += value.serialized()
        case .array(let items): append(items, to: &bytes)
        case .object(let object): append(object, to: &bytes)
        }
    }

    private static func append(_ items: [JSONValue], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "["))
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(item, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private static func append(_ object: JSONObject, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        let members = object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += JSONValue.string(member.key).serialized()
            bytes.append(UInt8(ascii: ":"))
            append(member.value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
