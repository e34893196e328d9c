package import JSON

extension JSONSchema {
    /// The canonical JSON text of all values that are equal in JSON Schema: members in the order of their names' bytes, numbers in one
    /// spelling, so that 1.0 is 1, without white space.
    package static func canonical(_ value: JSONValue) -> [UInt8] {
        var text = CanonicalText()
        text.append(value)
        return text.bytes
    }
}

/// The canonical text of a value while it is being written.
struct CanonicalText {
    private(set) var bytes: [UInt8] = []
    /// The number of digits that were read, of which the text may contain fewer.
    private(set) var digitsRead = 0

    mutating func append(_ value: JSONValue) {
        switch value {
        case .integer(let integer): bytes += "\(integer)".utf8
        case .number(let number):
            digitsRead += number.text.utf8.count
            bytes += ExactNumber(number).text.utf8
        case .null, .bool, .string: bytes += value.serialized()
        case .array(let items): append(items)
        case .object(let object): append(object)
        }
    }

    private mutating func append(_ items: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            append(item)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func append(_ object: JSONObject) {
        bytes.append(UInt8(ascii: "{"))
        let members = object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += JSONValue.string(member.key).serialized()
            bytes.append(UInt8(ascii: ":"))
            append(member.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
