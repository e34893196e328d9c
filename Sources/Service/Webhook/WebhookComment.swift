/// A comment that the help desk tells of, for one device of one person.
struct WebhookComment: Equatable {
    /// Who wrote it.
    struct Author: Equatable {
        let name: String?
        let avatarID: Int64?
        /// Used where there is no avatar.
        let avatarColor: String?
    }

    /// A file that came with it.
    struct Attachment: Equatable {
        let id: Int64
        let name: String?
        /// In bytes.
        let size: Int64?
    }

    let appID: String
    let userID: String
    let ticketID: Int64
    let commentID: Int64
    /// Empty when none was named.
    let deviceID: String
    /// `ios`, `android`, or whatever the app gave; nil when nothing was said.
    let deviceType: String?
    /// Empty when only files were sent.
    let body: String
    /// Whether the person wrote it, and not support.
    let isInbound: Bool
    let author: Author?
    /// In Unix milliseconds; nil when the help desk said nothing.
    let createdAt: UInt64?
    let attachments: [Attachment]
}
