package enum AnonymousRule: String, Sendable, CaseIterable {
    /// Answers 400.
    case reject
    /// Delivers, but to no phone.
    case accept
}
