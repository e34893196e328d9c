package import Time

/// The part of a comment that a notification reveals on a locked screen and to the push provider.
package enum PushContent: String, Sendable, CaseIterable {
    /// The author with picture, and the text or the names of the files.
    case full
    /// The author with picture.
    case author
    /// Neither author nor content.
    case `private`
}

package struct PushStyle: Sendable, Equatable {
    package enum Problem: Error, Equatable {
        case sound
        case androidChannel
        case badge
    }

    /// The maximum size of a title in bytes of UTF-8: longer than any device displays, and small compared with a payload.
    package static let longestTitleBytes = 256

    package let content: PushContent
    package let templates: PushTemplates
    /// The name of a sound in the app, or `default`; nil for no sound.
    package let sound: String?
    /// The number on the app's icon; nil leaves it unchanged. The number of unread messages is unknown, so 1 means "unread messages".
    package let badge: Int?
    /// The notification channel that the Android app has created; nil for the one named in its manifest.
    package let androidChannel: String?
    /// Whether devices remove notifications of comments that were read elsewhere.
    package let withdraws: Bool

    /// - Throws: for a name that does not have 1 to 64 letters, digits, `-`, `_`, `.` or `/`, or a badge out of range.
    package init(
        content: PushContent = .private, templates: PushTemplates = .english, sound: String? = "default", badge: Int? = nil,
        androidChannel: String? = nil, withdraws: Bool = false
    ) throws(Problem) {
        if let sound, !Self.isName(sound) { throw .sound }
        if let androidChannel, !Self.isName(androidChannel) { throw .androidChannel }
        if let badge, !(0...99_999).contains(badge) { throw .badge }
        self.content = content
        self.templates = templates
        self.sound = sound
        self.badge = badge
        self.androidChannel = androidChannel
        self.withdraws = withdraws
    }

    /// Makes the notification of a comment.
    /// - Parameters:
    ///   - eventID: the id of the comment's event.
    ///   - createdAt: the comment's time of creation, at most its time of arrival, used if the app withdraws notifications; nil when
    ///     unknown.
    package func notification(
        for comment: Comment, eventID: UUIDv7, createdAt: UnixMilliseconds? = nil, expiresAt: UnixMilliseconds
    ) -> PushNotification {
        let author = PushText.cut(PushText.line(comment.author?.name ?? ""), toBytes: Self.longestTitleBytes)
        let title = PushText.line(title(author: author))
        return PushNotification(
            title: PushText.cut(title, toBytes: Self.longestTitleBytes), body: body(comment, author: author),
            avatarURL: content == .private ? nil : comment.author?.avatarURL, sound: sound, badge: badge,
            androidChannel: androidChannel, appID: comment.appID, ticketID: comment.ticketID, channel: comment.channel,
            commentID: comment.commentID, createdAt: withdraws ? createdAt : nil, eventID: eventID, expiresAt: expiresAt)
    }

    private func title(author: String) -> String {
        guard content != .private, !author.isEmpty else { return templates.text(.neutralTitle) }
        return templates.text(.title) { _ in author }
    }

    private func body(_ comment: Comment, author: String) -> String {
        guard content == .full else { return templates.text(.neutralBody) }
        let text = PushText.paragraphs(comment.body)
        let names = comment.attachments.compactMap { $0.name.map { PushText.line($0) } }.filter { !$0.isEmpty }
        let part: PushTemplatePart
        if !text.isEmpty {
            part = .text
        } else if !names.isEmpty {
            part = .files(PluralForm(count: comment.attachments.count, language: templates.language))
        } else {
            part = .neutralBody
        }
        return templates.text(part) { placeholder in
            switch placeholder {
            case .author: author.isEmpty ? templates.text(.neutralTitle) : author
            case .text: text
            case .count: "\(comment.attachments.count)"
            case .files: names.joined(separator: ", ")
            }
        }
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                switch $0 {
                case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/": true
                default: false
                }
            }
    }
}
