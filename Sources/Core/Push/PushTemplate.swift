/// A notification text with placeholders, such as `{count} files: {files}`; `{{` and `}}` are escaped braces.
package struct PushTemplate: Sendable, Equatable {
    package enum Placeholder: String, Sendable, CaseIterable {
        case author
        case text
        /// The number of files.
        case count
        /// The names of the files.
        case files
    }

    package enum Problem: Error, Equatable {
        /// A template without visible characters.
        case empty
        case tooLong
        case controlCharacter
        case unpairedBrace
        case unknown(String)
        /// A placeholder that this template must not have.
        case misplaced(Placeholder)
    }

    /// The maximum size of a template in bytes of UTF-8, which leaves space for the values.
    package static let longestBytes = 200

    private enum Piece: Equatable {
        case literal(String)
        case placeholder(Placeholder)
    }

    private var pieces: [Piece] = []

    package init(_ text: String, allowing allowed: Set<Placeholder>) throws(Problem) {
        if PushText.line(text).isEmpty { throw .empty }
        if text.utf8.count > Self.longestBytes { throw .tooLong }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) { throw .controlCharacter }
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "{" where rest.first == "{", "}" where rest.first == "}": append(rest.removeFirst())
            case "{": pieces.append(.placeholder(try Self.takePlaceholder(&rest, allowed)))
            case "}": throw .unpairedBrace
            default: append(character)
            }
        }
    }

    /// Replaces the placeholders; braces in values have no meaning.
    package func filled(_ value: (Placeholder) -> String) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .placeholder(let placeholder): text += value(placeholder)
            }
        }
        return text
    }

    private mutating func append(_ character: Character) {
        guard case .literal(let literal) = pieces.last else { return pieces.append(.literal(String(character))) }
        pieces[pieces.count - 1] = .literal(literal + String(character))
    }

    private static func takePlaceholder(_ rest: inout Substring, _ allowed: Set<Placeholder>) throws(Problem) -> Placeholder {
        guard let end = rest.firstIndex(of: "}") else { throw .unpairedBrace }
        let name = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        guard let placeholder = Placeholder(rawValue: name) else { throw .unknown(name) }
        guard allowed.contains(placeholder) else { throw .misplaced(placeholder) }
        return placeholder
    }
}
