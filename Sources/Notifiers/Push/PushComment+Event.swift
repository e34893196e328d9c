internal import Core

extension PushComment {
    /// Reads what an event tells of a comment.
    ///
    /// Throws when it is about no comment, or its data is not what the webhook stores.
    init(_ event: Event) throws(CommentContent.Unreadable) {
        guard let ticketID = event.identity.ticketID, let commentID = event.identity.commentID else { throw CommentContent.Unreadable() }
        let content = try CommentContent(data: event.data)
        self.init(
            appID: event.identity.appID, ticketID: ticketID, commentID: commentID, eventID: event.id,
            expiresAt: event.expiresAt, authorName: content.authorName, text: content.text, fileNames: content.fileNames)
    }
}
