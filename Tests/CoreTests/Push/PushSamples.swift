import Core

extension PushComment {
    /// A comment of which a test names what matters.
    static func sample(author: String? = "Анна", text: String = "", files: [String?] = [], ticketID: Int64 = 42) -> PushComment {
        PushComment(
            appID: "app", ticketID: ticketID, commentID: 7, eventID: UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0)),
            expiresAt: 100_000, authorName: author, text: text, fileNames: files)
    }
}
