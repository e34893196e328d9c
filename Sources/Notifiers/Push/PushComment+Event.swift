internal import Core

extension PushComment {
    /// Reads what an event tells of a comment.
    ///
    /// Throws when its payload is not what the webhook stores.
    init(_ event: Event) throws(CommentContent.Unreadable) {
        let content = try CommentContent(payload: event.payload)
        self.init(
            appID: event.identity.appID, ticketID: event.identity.ticketID, commentID: event.identity.commentID, eventID: event.id,
            expiresAt: event.expiresAt, authorName: content.authorName, text: content.text, fileNames: content.fileNames)
    }
}
