/// The messages of a PostgreSQL client: a subset of the protocol that detects a COMMIT, however it was prepared
/// (<https://www.postgresql.org/docs/15/protocol-message-formats.html>).
struct FrontendStream {
    /// One message, or the packet that opens a connection.
    struct Message {
        let bytes: [UInt8]
        var isCommit = false
        /// The statement to prepare.
        var statement: String?
    }

    /// The codes of a packet that only requests encryption and is followed by another one.
    private static let encryptionCodes: [UInt32] = [80_877_103, 80_877_104]

    private var buffer: [UInt8] = []
    private var isOpening = true
    private var commitNames: Set<String> = []

    /// Appends received bytes, and returns the messages that are complete.
    mutating func take(_ part: [UInt8]) -> [Message] {
        buffer += part
        var messages: [Message] = []
        while let message = next() { messages.append(message) }
        return messages
    }

    private mutating func next() -> Message? {
        // The packets that open a connection have no type.
        let typeLength = isOpening ? 0 : 1
        guard let length = number(at: typeLength), buffer.count >= typeLength + Int(length) else { return nil }
        let bytes = Array(buffer.prefix(typeLength + Int(length)))
        buffer.removeFirst(bytes.count)
        var message = Message(bytes: bytes)
        if isOpening {
            let code = bytes.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            isOpening = Self.encryptionCodes.contains(code)
        } else {
            read(&message)
        }
        return message
    }

    private func number(at index: Int) -> UInt32? {
        buffer.count < index + 4 ? nil : buffer[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func read(_ message: inout Message) {
        // The type and the length come first; texts end with NUL.
        let texts = message.bytes.dropFirst(5).split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
        guard texts.count > 1 else { return }
        let (first, second) = (String(decoding: texts[0], as: UTF8.self), String(decoding: texts[1], as: UTF8.self))
        switch message.bytes[0] {
        case UInt8(ascii: "P"):
            // The statement's name, and its text.
            message.statement = second
            if second == "COMMIT" { commitNames.insert(first) } else { commitNames.remove(first) }
        case UInt8(ascii: "B"):
            // The portal, and the statement's name.
            message.isCommit = commitNames.contains(second)
        default: break
        }
    }
}
