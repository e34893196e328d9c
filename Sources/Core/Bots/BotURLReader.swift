internal import Bytes

/// Parses the pieces of a URL template into origin, segments and query items.
struct BotURLReader {
    private enum Place {
        case origin, path, query
    }

    private var place = Place.origin
    private var origin = ""
    private var segments: [[BotText.Piece]] = []
    private var query: [[BotText.Piece]] = []

    mutating func take(_ piece: BotText.Piece) throws(BotURLTemplate.Problem) {
        switch piece {
        case .placeholder(let name): try take(placeholder: name)
        case .literal(let text):
            guard text.utf8.allSatisfy(Self.isAllowed) else { throw .malformed }
            for character in text { take(character) }
        }
    }

    /// Validates the pieces taken so far and returns their parts.
    func parts() throws(BotURLTemplate.Problem) -> (origin: String, segments: [[BotText.Piece]], query: [[BotText.Piece]]?) {
        guard let colon = origin.utf8.firstIndex(of: UInt8(ascii: ":")), colon > origin.startIndex else { throw .malformed }
        let rest = origin[colon...]
        guard rest.hasPrefix("://"), rest.utf8.count > 3, !rest.utf8.contains(UInt8(ascii: "@")) else { throw .malformed }
        for segment in segments where segment.count == 1 {
            if case .literal(let name) = segment[0], BotPathValue.isDots(name) { throw .dotSegment }
        }
        return (origin, segments, place == .query ? query : nil)
    }

    private mutating func take(_ character: Character) {
        switch (place, character) {
        case (.origin, "/") where !origin.contains("://"): origin.append(character)
        case (.origin, "/"), (.path, "/"):
            place = .path
            segments.append([])
        case (.origin, "?"), (.path, "?"):
            place = .query
            query.append([])
        case (.query, "&"): query.append([])
        case (.origin, _): origin.append(character)
        case (.path, _): Self.append(character, to: &segments[segments.count - 1])
        case (.query, _): Self.append(character, to: &query[query.count - 1])
        }
    }

    private mutating func take(placeholder name: String) throws(BotURLTemplate.Problem) {
        switch place {
        case .origin: throw .misplaced(name)
        case .path: segments[segments.count - 1].append(.placeholder(name))
        case .query:
            guard case .literal(let before)? = query[query.count - 1].first, before.contains("=") else { throw .misplaced(name) }
            query[query.count - 1].append(.placeholder(name))
        }
    }

    private static func append(_ character: Character, to pieces: inout [BotText.Piece]) {
        guard case .literal(let text)? = pieces.last else { return pieces.append(.literal(String(character))) }
        pieces[pieces.count - 1] = .literal(text + String(character))
    }

    /// Accepts visible ASCII, except characters that are invalid in a URL and `#`.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x21..<0x7F).contains(byte) && !"\"<>\\^`{|}#".utf8.contains(byte)
    }
}

/// Rules for an argument that fills a path segment.
enum BotPathValue {
    private static let longest = 1024
    private static let maximumDecodings = 3

    /// Whether a text is not empty, has no control characters, and cannot leave its segment, even if a backend decodes it again, treats
    /// `%2F` as a slash, or parses parameters after `;`.
    static func isSafe(_ text: String) -> Bool {
        guard (1...longest).contains(text.utf8.count) else { return false }
        var bytes = Array(text.utf8)
        for _ in 0..<maximumDecodings {
            if bytes.span.hasControlCharacter || hasDotPart(bytes) { return false }
            let decoded = PercentEncoding.decodedLeniently(bytes.span)
            if decoded.count == bytes.count { return true }
            bytes = decoded
        }
        return false
    }

    /// Whether a template's segment is `.` or `..`, also when percent-encoded.
    static func isDots(_ text: String) -> Bool {
        hasDotPart(PercentEncoding.decodedLeniently(text.utf8.span))
    }

    private static func hasDotPart(_ bytes: [UInt8]) -> Bool {
        bytes.split { #"/\;"#.utf8.contains($0) }.contains { part in
            part.count <= 2 && part.allSatisfy { $0 == UInt8(ascii: ".") }
        }
    }
}
