/// A value of a parsed JSON text, read where it is asked for: nothing is copied but the text itself, once, and strings that are wanted.
///
/// The text is strict JSON, by the rules of `JSONDocument`.
package struct JSONElement: Sendable {
    /// What a value is.
    enum Kind: Sendable {
        case null, bool, integer, real, string, array, object
    }

    private let tape: JSONTape
    private let index: Int

    /// Parses `text`, with arrays and objects nested at most `maximumDepth` deep, and gives its root.
    ///
    /// The size is the caller's to bound. Throws at the first mistake.
    package init(parsing text: Span<UInt8>, maximumDepth: Int = JSONDocument.usualDepth) throws(JSONError) {
        tape = try JSONTape.parsed(text, maximumDepth: maximumDepth)
        index = 0
    }

    init(_ tape: JSONTape, _ index: Int) {
        self.tape = tape
        self.index = index
    }

    /// What it is.
    var kind: Kind { entry.kind }

    /// Whether it is null.
    package var isNull: Bool { kind == .null }

    /// Whether it is an object.
    package var isObject: Bool { kind == .object }

    /// Whether it is an array.
    package var isArray: Bool { kind == .array }

    /// A boolean's value; nil for everything else.
    package var bool: Bool? { kind == .bool ? entry.start == 1 : nil }

    /// An integer's value; nil for everything else.
    package var integer: Int64? { kind == .integer ? Int64(entry.start) : nil }

    /// A string's value, which may hold NUL; nil for everything else.
    package var string: String? {
        let entry = entry
        guard entry.kind == .string else { return nil }
        let range = entry.start..<entry.start + entry.count
        return String(decoding: entry.hasEscapes ? unescaped(range)[...] : tape.bytes[range], as: UTF8.self)
    }

    /// An array's elements in their order; empty for everything else.
    package var elements: [JSONElement] {
        guard kind == .array else { return [] }
        var elements: [JSONElement] = []
        var next = index + 1
        while next < entry.end {
            elements.append(JSONElement(tape, next))
            next = tape.entries[next].end
        }
        return elements
    }

    /// An object's members in their order, copied, for a tape of `JSONTape.plain`; none for everything else.
    var members: [JSONObject.Member] {
        guard kind == .object else { return [] }
        var members: [JSONObject.Member] = []
        var key = index + 1
        while key < entry.end {
            members.append(JSONObject.Member(key: JSONElement(tape, key).string ?? "", value: JSONElement(tape, key + 1).value))
            key = tape.entries[key + 1].end
        }
        return members
    }

    /// An object's member of this name, by its UTF-8 bytes; nil when there is none, and for everything that is no object.
    ///
    /// The cost grows with the number of members.
    package subscript(name: StaticString) -> JSONElement? {
        guard kind == .object else { return nil }
        let bytes = tape.bytes
        let text = bytes.span
        var key = index + 1
        while key < entry.end {
            let start = tape.entries[key].start
            if text.holds(name, at: start..<start + tape.entries[key].count) { return JSONElement(tape, key + 1) }
            key = tape.entries[key + 1].end
        }
        return nil
    }

    private var entry: JSONTape.Entry { tape.entries[index] }

    /// The UTF-8 of a string whose escapes are known to be right.
    private func unescaped(_ range: Range<Int>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        let bytes = tape.bytes
        let text = bytes.span.extracting(range)
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "\\"), let (scalar, count) = JSONEscape.scalar(at: index, in: text) {
                result.append(contentsOf: scalar.utf8)
                index += count
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }
}
