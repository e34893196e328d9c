/// A text with placeholders, such as `You help {user_id}.`; `{{` and `}}` are literal braces.
package struct BotText: Sendable, Equatable {
    package enum Problem: Error, Equatable {
        case unpairedBrace
        /// The text between braces is not 1 to 64 letters, digits, `-` or `_`.
        case name
    }

    enum Piece: Sendable, Equatable {
        case literal(String)
        case placeholder(String)
    }

    /// In order; two literals never follow each other.
    private(set) var pieces: [Piece] = []

    package init(_ text: String) throws(Problem) {
        var rest = text.unicodeScalars[...]
        var literal = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "{" where rest.first == "{", "}" where rest.first == "}": literal.append(rest.removeFirst())
            case "{":
                if !literal.isEmpty { pieces.append(.literal(String(literal))) }
                literal = String.UnicodeScalarView()
                pieces.append(.placeholder(try Self.takeName(&rest)))
            case "}": throw .unpairedBrace
            default: literal.append(scalar)
            }
        }
        if !literal.isEmpty { pieces.append(.literal(String(literal))) }
    }

    /// Names in order, repeated as in the text.
    package var placeholders: [String] {
        pieces.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    /// Fills in each placeholder. Filled-in text is not parsed again.
    package func filled<E: Error>(_ value: (_ name: String) throws(E) -> String) throws(E) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .placeholder(let name): text += try value(name)
            }
        }
        return text
    }

    /// Whether a text is a valid name of a placeholder, and so of a parameter: 1 to 64 letters, digits, `-` or `_`.
    package static func isName(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Parses a name and its closing brace.
    private static func takeName(_ rest: inout Substring.UnicodeScalarView) throws(Problem) -> String {
        guard let end = rest.firstIndex(of: "}") else { throw .unpairedBrace }
        let name = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        guard isName(name) else { throw .name }
        return name
    }
}
