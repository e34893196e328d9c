internal import JSON

/// A bot's text without the quick replies that a model embedded in it, as in `Shall I? JSON^{"options":["Yes","No"]}^NSOJ`.
///
/// A block reaches from `JSON^` to the next `^NSOJ`. It is removed if it contains a JSON object whose `options` or `option` is a string or
/// a list of strings. Any other block is malformed, and remains. The remaining text has no block that could be removed. The time is linear
/// in the text's length, because hostile texts can control a model.
package struct QuickReplies: Sendable, Equatable {
    /// The maximum number of replies in a block, and in a text.
    package static let most = 20
    /// In UTF-16 code units.
    package static let longest = 200

    private static let opening = Array("JSON^".utf8)
    private static let closing = Array("^NSOJ".utf8)
    /// The maximum size, enough for an object with all replies and for other members, which are ignored.
    private static let maximumValues = 64

    package private(set) var text: String
    /// Replies of all blocks in order, without duplicates, at most `most`.
    package private(set) var options: [String] = []
    /// The number of removed blocks.
    package private(set) var cut = 0
    /// The number of malformed blocks. A block without an end reaches to the end of the text.
    package private(set) var broken = 0

    package init(in text: String) {
        self.text = text
        let bytes = Array(text.utf8)
        var pieces: [ArraySlice<UInt8>] = []
        var (pieceStart, next) = (0, 0)
        while let start = Self.index(of: Self.opening, in: bytes, from: next) {
            guard let end = Self.index(of: Self.closing, in: bytes, from: start + Self.opening.count) else {
                broken += 1
                break
            }
            next = end + Self.closing.count
            guard let replies = Self.replies(in: Array(bytes[start + Self.opening.count..<end])) else {
                broken += 1
                continue
            }
            cut += 1
            add(replies)
            pieces.append(bytes[pieceStart..<start])
            pieceStart = next
        }
        if cut > 0 { self.text = Self.joined(pieces + [bytes[pieceStart...]]) }
    }

    private mutating func add(_ replies: [String]) {
        for reply in replies where options.count < Self.most && !options.contains(where: { $0.utf8.elementsEqual(reply.utf8) }) {
            options.append(reply)
        }
    }

    /// Returns nil when the block is malformed.
    private static func replies(in json: [UInt8]) -> [String]? {
        guard let root = try? JSONElement(parsing: json.span, maximumValues: maximumValues) else { return nil }
        let lists = [root["options"], root["option"]].compactMap(\.self)
        guard !lists.isEmpty else { return nil }
        var replies: [String] = []
        for list in lists {
            for element in list.isArray ? list.elements : [list] {
                guard let reply = element.string, isReply(reply) else { return nil }
                replies.append(reply)
            }
        }
        return replies.count <= most ? replies : nil
    }

    private static func isReply(_ text: String) -> Bool {
        (1...longest).contains(text.utf16.count) && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// Joins pieces without the white space at the cuts. Between two pieces it keeps the white space before the cut. If there is none, it
    /// keeps the white space after the cut, and if there is none either, it adds a space. So two pieces never form a mark together.
    private static func joined(_ pieces: [ArraySlice<UInt8>]) -> String {
        var text: [UInt8] = []
        var gap: ArraySlice<UInt8> = []
        for (index, piece) in pieces.enumerated() {
            let front = index == 0 ? piece : piece.drop(while: isSpace)
            let count = index == pieces.count - 1 ? 0 : front.reversed().prefix(while: isSpace).count
            let words = front.dropLast(count)
            guard !words.isEmpty else { continue }
            let behind = piece.prefix(piece.count - front.count)
            if !text.isEmpty { text += !gap.isEmpty ? gap : behind.isEmpty ? [UInt8(ascii: " ")] : behind }
            text += words
            gap = front.suffix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D, 0x20].contains(byte) }

    /// Finds a mark. The first byte of a mark occurs only once in it, so a mismatch restarts the match.
    private static func index(of mark: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        var (index, matched) = (start, 0)
        while index < bytes.count {
            let byte = bytes[index]
            matched = byte == mark[matched] ? matched + 1 : byte == mark[0] ? 1 : 0
            index += 1
            if matched == mark.count { return index - matched }
        }
        return nil
    }
}
