/// Writes JSON text straight into bytes, value by value, in the form of `JSONValue.serialized()`.
///
/// For texts that are written on each request. The caller ensures that each beginning has an end, and that no name occurs twice.
package struct JSONWriter {
    package internal(set) var bytes: [UInt8] = []

    /// Creates a writer with room for `capacity` bytes; it grows on demand.
    package init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// Begins an object: the root, or an element of an array.
    package mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
    }

    /// Begins an object as a member.
    /// - Parameter name: needs no escapes, as in all calls.
    package mutating func beginObject(_ name: StaticString) {
        write(name)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Begins an object as a member, with the members of an object that is already written; more may follow.
    /// - Parameter object: that object's text, without white space around it.
    package mutating func beginObject(_ name: StaticString, membersOf object: [UInt8]) {
        precondition(object.first == UInt8(ascii: "{") && object.last == UInt8(ascii: "}"), "the text is an object")
        write(name)
        bytes.append(contentsOf: object.dropLast())
    }

    package mutating func endObject() {
        bytes.append(UInt8(ascii: "}"))
    }

    package mutating func beginArray(_ name: StaticString) {
        write(name)
        bytes.append(UInt8(ascii: "["))
    }

    package mutating func endArray() {
        bytes.append(UInt8(ascii: "]"))
    }

    /// Adds a member that is a string; nil becomes null.
    package mutating func add(_ name: StaticString, _ text: String?) {
        guard let text else { return addNull(name) }
        write(name)
        write(text)
    }

    /// Adds a member that is an integer; nil becomes null.
    package mutating func add(_ name: StaticString, _ integer: Int64?) {
        guard let integer else { return addNull(name) }
        write(name)
        write(integer)
    }

    package mutating func addNull(_ name: StaticString) {
        write(name)
        bytes.append(contentsOf: "null".utf8)
    }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if Self.isPlain(text.utf8.span) {
            bytes.append(contentsOf: text.utf8)
        } else {
            writeEscaping(text.utf8.span)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func write(_ integer: Int64) {
        if integer < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = integer.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    private mutating func write(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Puts a comma between two values; it is not called within a string, so a bracket is an opening one.
    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    /// Checks every byte without a branch, so that the compiler can vectorize the loop.
    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        var found: UInt8 = 0
        for index in 0..<text.count {
            let byte = unsafe text[unchecked: index]
            found |= byte < 0x20 ? 1 : 0
            found |= byte == UInt8(ascii: "\"") ? 1 : 0
            found |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return found == 0
    }

    private mutating func writeEscaping(_ text: Span<UInt8>) {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), text[index]]
            case 0x08: bytes.append(contentsOf: #"\b"#.utf8)
            case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
            case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
            case 0x0C: bytes.append(contentsOf: #"\f"#.utf8)
            case 0x0D: bytes.append(contentsOf: #"\r"#.utf8)
            case let byte where byte < 0x20:
                let digit = byte & 0xF
                bytes.append(contentsOf: #"\u00"#.utf8)
                bytes += [UInt8(ascii: "0") + byte >> 4, digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10]
            case let byte: bytes.append(byte)
            }
        }
    }
}

extension JSONWriter {
    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
        case .integer(let integer): write(integer)
        case .number(let number): bytes += number.text.utf8
        case .string(let text): write(text)
        case .array(let values): write(values)
        case .object(let object): write(object)
        }
    }

    /// Writes a value with each member and element on its own line, indented by two more spaces than its parent.
    mutating func writeIndented(_ value: JSONValue, depth: Int) {
        switch value {
        case .array(let values) where !values.isEmpty:
            writeLines("[", end: "]", parts: values, depth: depth) { writer, value in writer.writeIndented(value, depth: depth + 1) }
        case .object(let object) where !object.members.isEmpty:
            writeLines("{", end: "}", parts: object.members, depth: depth) { writer, member in
                writer.write(member.key)
                writer.bytes += ": ".utf8
                writer.writeIndented(member.value, depth: depth + 1)
            }
        default: write(value)
        }
    }

    private mutating func writeLines<Part>(
        _ start: Character, end: Character, parts: [Part], depth: Int, write: (inout JSONWriter, Part) -> Void
    ) {
        bytes += start.utf8
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            beginLine(depth + 1)
            write(&self, part)
        }
        beginLine(depth)
        bytes += end.utf8
    }

    private mutating func beginLine(_ depth: Int) {
        bytes.append(UInt8(ascii: "\n"))
        bytes += repeatElement(UInt8(ascii: " "), count: 2 * depth)
    }

    private mutating func write(_ values: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ object: JSONObject) {
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in object.members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(member.key)
            bytes.append(UInt8(ascii: ":"))
            write(member.value)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
