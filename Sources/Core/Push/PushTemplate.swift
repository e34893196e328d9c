/// A text of a notification with placeholders, such as `{count} files: {files}`; `{{` and `}}` are braces.
package struct PushTemplate: Sendable, Equatable {
    package enum Placeholder: String, Sendable, CaseIterable {
        case author
        case text
        case count
        case files
    }

    package enum Problem: Error, Equatable {
        case empty
        /// It has more than `longestBytes`.
        case tooLong
        case controlCharacter
        /// A brace has no partner.
        case unpairedBrace
        case unknown(String)
        /// A placeholder has no place in this template.
        case misplaced(Placeholder)
    }

    /// The longest template, in bytes of UTF-8, so that there is room for what it is filled with.
    package static let longestBytes = 200

    private enum Piece: Equatable {
        case literal(String)
        case placeholder(Placeholder)
    }

    private var pieces: [Piece] = []

    /// Reads a template's text.
    /// - Parameter allowed: the placeholders that it may have.
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

    /// Returns the text with its placeholders filled in; inserted text is not searched again.
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

    /// Takes a placeholder behind its opening brace.
    private static func takePlaceholder(_ rest: inout Substring, _ allowed: Set<Placeholder>) throws(Problem) -> Placeholder {
        guard let end = rest.firstIndex(of: "}") else { throw .unpairedBrace }
        let name = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        guard let placeholder = Placeholder(rawValue: name) else { throw .unknown(name) }
        guard allowed.contains(placeholder) else { throw .misplaced(placeholder) }
        return placeholder
    }
}
