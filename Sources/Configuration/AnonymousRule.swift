package enum AnonymousRule: String, Sendable, CaseIterable {
    /// Rejects the comment with status 400.
    case reject
    /// Delivers the comment, but sends no push notification.
    case accept
}
