/// A comment of support, as far as a notification can show it. All texts are foreign: of any length, with any characters.
package struct PushComment: Sendable, Equatable {
    /// The app whose chat it belongs to.
    package let appID: String
    /// The ticket that it was added to.
    package let ticketID: Int64
    /// Its number.
    package let commentID: Int64
    /// The event that tells of it.
    package let eventID: UUIDv7
    /// After this time nobody needs to know of it any more, in Unix milliseconds.
    package let expiresAt: UInt64
    /// Who wrote it, if that is known.
    package let authorName: String?
    /// What was written; empty when only files were sent.
    package let text: String
    /// The names of the files that came with it, one for each, nil where a file has none.
    package let fileNames: [String?]

    /// Makes a comment.
    package init(
        appID: String, ticketID: Int64, commentID: Int64, eventID: UUIDv7, expiresAt: UInt64, authorName: String?, text: String,
        fileNames: [String?]
    ) {
        self.appID = appID
        self.ticketID = ticketID
        self.commentID = commentID
        self.eventID = eventID
        self.expiresAt = expiresAt
        self.authorName = authorName
        self.text = text
        self.fileNames = fileNames
    }
}
