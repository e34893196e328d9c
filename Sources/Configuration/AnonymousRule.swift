/// How webhooks are treated that name no user, as those of a chat in anonymous mode: `apps[].anonymous`.
package enum AnonymousRule: String, Sendable, CaseIterable {
    /// They are answered 400.
    case reject
    /// They are delivered, but to no phone.
    case accept
}
