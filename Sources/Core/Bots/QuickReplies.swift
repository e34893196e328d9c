internal import JSON

/// A bot's text apart from the quick replies that a model has embedded in it, as in `Shall I? JSON^{"options":["Yes","No"]}^NSOJ`.
///
/// A block reaches from `JSON^` to the next `^NSOJ`. One with a JSON object between, whose `options` or `option` is a text or a list of
/// texts, is cut out; any other is broken, and stays text. What is left has no block that could be cut out. The time is linear in the
/// text's length, since a model obeys hostile texts.
package struct QuickReplies: Sendable, Equatable {
    /// The most replies of a block, and of a text.
    package static let most = 20
    /// The longest reply, in UTF-16 code units.
    package static let longest = 200

    private static let opening = Array("JSON^".utf8)
    private static let closing = Array("^NSOJ".utf8)
    /// Room for the members of an object with the most replies, and for others that are ignored.
    private static let mostValues = 64

    /// The text without the blocks that were cut out.
    package private(set) var text: String
    /// The replies of all blocks in their order, each once, up to `most`.
    package private(set) var options: [String] = []
    /// The number of blocks that were cut out.
    package private(set) var cut = 0
    /// The number of broken blocks. A block without an end takes the rest of the text.
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

    /// The replies of a block; nil when it is broken.
    private static func replies(in json: [UInt8]) -> [String]? {
        guard let root = try? JSONElement(parsing: json.span, mostValues: mostValues) else { return nil }
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

    /// The pieces without the white space at the cuts, but for what keeps two of them apart: that before the cut, that behind it where
    /// there is none, or a space. So no two pieces make a mark together.
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

    /// Returns the start of a mark. Its first byte occurs only once in it, so a mismatch restarts the search.
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
