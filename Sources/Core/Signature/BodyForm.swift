internal import JSON

/// A variant of the received body that a faulty program may have signed or passed on.
struct BodyForm {
    /// The change to the received bytes, completing the sentence "It belongs to the body …"; nil for the received bytes.
    let change: String?
    let bytes: [UInt8]

    /// Returns the received bytes first, then every variant.
    static func all(of body: [UInt8]) -> [BodyForm] {
        [BodyForm(change: nil, bytes: body)] + (texts(of: body) + reserialised(body)).filter { $0.bytes != body }
    }

    /// Variants that editors, shells and proxies make of a text.
    private static func texts(of body: [UInt8]) -> [BodyForm] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        var bare = body
        while bare.last == feed || bare.last == carriage { bare.removeLast() }
        let unix = body.filter { $0 != carriage }
        return [
            BodyForm(change: "without line ends at its end", bytes: bare),
            BodyForm(change: "with a line feed at its end", bytes: bare + [feed]),
            BodyForm(change: "with CR LF at its end", bytes: bare + [carriage, feed]),
            BodyForm(change: "with LF as line ends", bytes: unix),
            BodyForm(change: "with CR LF as line ends", bytes: unix.flatMap { $0 == feed ? [carriage, feed] : [$0] }),
            BodyForm(change: "without a byte order mark", bytes: body.starts(with: mark) ? Array(body.dropFirst(3)) : body),
            BodyForm(change: "with a byte order mark", bytes: mark + body), BodyForm(change: "as an empty body", bytes: []),
        ]
    }

    /// Variants of JSON that a program has parsed and serialized again.
    private static func reserialised(_ body: [UInt8]) -> [BodyForm] {
        let text = body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(body.dropFirst(3)) : body
        guard let value = JSONValue(parsing: text) else { return [] }
        return JSONStyle.all.flatMap { style in
            let bytes = style.write(value)
            let change = "re-serialised (\(style.name))"
            return [
                BodyForm(change: change, bytes: bytes),
                BodyForm(change: "\(change) with a line feed at its end", bytes: bytes + [UInt8(ascii: "\n")]),
            ]
        }
    }
}

struct JSONStyle {
    private let spacing: Spacing
    private let sortsKeys: Bool
    private let escapesUnicode: Bool
    private let escapesSlashes: Bool

    private enum Spacing: String, CaseIterable {
        case minified
        case spaced = "a space after commas and colons"
        case twoSpaces = "indented by two spaces"
        case fourSpaces = "indented by four spaces"
        case tabs = "indented by tabs"

        var indent: String? {
            switch self {
            case .minified, .spaced: nil
            case .twoSpaces: "  "
            case .fourSpaces: "    "
            case .tabs: "\t"
            }
        }
    }

    /// Every style, the usual ones first.
    static let all: [JSONStyle] = [false, true].flatMap { sortsKeys in
        Spacing.allCases.flatMap { spacing in
            [(false, false), (true, false), (false, true), (true, true)].map { unicode, slashes in
                JSONStyle(spacing: spacing, sortsKeys: sortsKeys, escapesUnicode: unicode, escapesSlashes: slashes)
            }
        }
    }

    var name: String {
        let further = [(sortsKeys, "keys sorted"), (escapesUnicode, "non-ASCII escaped"), (escapesSlashes, "slashes escaped")]
        return ([spacing.rawValue] + further.filter(\.0).map(\.1)).joined(separator: ", ")
    }

    func write(_ value: JSONValue) -> [UInt8] { Array(text(value, depth: 0).utf8) }

    private func text(_ value: JSONValue, depth: Int) -> String {
        switch value {
        case .object(let object):
            let members = sortsKeys ? object.members.sorted { $0.key < $1.key } : object.members
            let colon = spacing == .minified ? ":" : ": "
            return list(members.map { "\(quoted($0.key))\(colon)\(text($0.value, depth: depth + 1))" }, start: "{", end: "}", depth: depth)
        case .array(let elements): return list(elements.map { text($0, depth: depth + 1) }, start: "[", end: "]", depth: depth)
        case .string(let string): return quoted(string)
        // Most programs keep a number as a `Double`, and write its shortest digits.
        case .number(let number): return JSONNumber(number.double).text
        case .null, .bool, .integer: return String(decoding: value.serialized(), as: UTF8.self)
        }
    }

    private func list(_ parts: [String], start: String, end: String, depth: Int) -> String {
        guard let indent = spacing.indent, !parts.isEmpty else {
            return start + parts.joined(separator: spacing == .spaced ? ", " : ",") + end
        }
        let outer = "\n" + String(repeating: indent, count: depth)
        return "\(start)\(outer)\(indent)\(parts.joined(separator: ",\(outer)\(indent)"))\(outer)\(end)"
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "/" where escapesSlashes: result += "\\/"
            case "\u{8}": result += "\\b"
            case "\u{C}": result += "\\f"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || escapesUnicode && scalar.value > 0x7E:
                for unit in String(scalar).utf16 { result += "\\u" + Self.digits(unit) }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private static func digits(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
