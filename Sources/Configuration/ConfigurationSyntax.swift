internal import JSON

/// Describes the mistakes in a file that is not JSON.
enum ConfigurationSyntax {
    typealias Mistake = (message: String, place: JSONPlace)

    /// Returns the mistakes in a text that `JSONDocument` has rejected.
    static func mistakes(_ error: JSONError, in bytes: [UInt8]) -> [Mistake] {
        let place = JSONPlace(line: error.line, column: error.column)
        if bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) {
            let text =
                "the file is empty; if it was not, restore its contents: \(Configuration.costOfNewOne); on a new machine remove it, and run "
                + "deskgate init"
            return [(text, JSONPlace(line: 1, column: 1))]
        }
        if TextEncoding.isWide(bytes) { return [("the file is UTF-16 or UTF-32; save it as UTF-8", JSONPlace(line: 1, column: 1))] }
        switch error.reason {
        case .invalidUTF8: return [("\(error.reason); save the file as UTF-8", place)]
        case .duplicateKey:
            let found = duplicates(in: bytes)
            return found.isEmpty ? [(error.reason.description, place)] : found
        case .syntax where isOtherFormat(bytes):
            return [
                (
                    "the file is no JSON, which is one object in { and }; deskgate init makes one to begin with",
                    JSONPlace(line: 1, column: 1)
                )
            ]
        case .syntax, .endOfInput, .byteOrderMark:
            let hint = JSONSyntaxHint.first(in: bytes.span)
            return [hint.map { ("not valid JSON: \($0.message)", $0.place) } ?? (error.reason.description, place)]
        case .numberOutOfRange: return [(numberOutOfRange(endingAt: error.offset - 1, in: bytes), place)]
        case .trailingBytes, .nulInKey, .tooDeep, .tooManyValues, .outOfMemory:
            return [(error.reason.description, place)]
        }
    }

    /// Whether a text begins like YAML, TOML, HTML or lines of NAME=VALUE: with a name, the dash of a list, a table name in brackets, or a
    /// tag.
    private static func isOtherFormat(_ bytes: [UInt8]) -> Bool {
        let text = bytes.drop { " \t\r\n".utf8.contains($0) }
        let name = text.first == UInt8(ascii: "[") ? text.dropFirst() : text
        // A second `<` means a merge conflict marker.
        if text.first == UInt8(ascii: "<") { return text.dropFirst().first != UInt8(ascii: "<") }
        return text.starts(with: "---".utf8) || text.starts(with: "- ".utf8) || name.first.map { isLetter($0) } ?? false
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

    private static func numberOutOfRange(endingAt index: Int, in bytes: [UInt8]) -> String {
        var (path, keys, value) = ("$", ConfigurationReader.rootKeys, ConfigurationValue?.none)
        var sourceMap = JSONSourceMap(bytes.span)
        while let next = sourceMap {
            sourceMap = nil
            for member in next.members where member.value.range.contains(index) {
                value = keys.all.first { $0.name == member.name }?.value
                (sourceMap, path, keys) = (member.value, "\(path).\(printable(member.name))", value?.keys ?? [])
            }
            for (number, element) in next.elements.enumerated() where element.range.contains(index) {
                (sourceMap, path) = (element, "\(path)[\(number)]")
            }
        }
        let remedy =
            if case .integer(let range, _)? = value { "an integer from \(range.lowerBound) to \(range.upperBound)" } else {
                "a smaller one"
            }
        return "\(path): number out of range; give \(remedy)"
    }

    /// Returns all keys that occur twice in an object; empty if the text has another mistake after them.
    private static func duplicates(in bytes: [UInt8]) -> [Mistake] {
        var found: [Mistake] = []
        func search(_ value: JSONSourceMap, _ path: String) {
            var places: [[UInt8]: JSONPlace] = [:]
            for member in value.members {
                let (name, path) = (Array(member.name.utf8), "\(path).\(printable(member.name))")
                let place = JSONPlace(of: member.nameRange.lowerBound, in: bytes.span)
                if let first = places[name] {
                    found.append(("duplicate key: \(path) is in line \(first.line), too; remove one of them", place))
                }
                places[name] = places[name] ?? place
                search(member.value, path)
            }
            for (index, element) in value.elements.enumerated() { search(element, "\(path)[\(index)]") }
        }
        if let sourceMap = JSONSourceMap(bytes.span) { search(sourceMap, "$") }
        return found
    }
}
