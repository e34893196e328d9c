/// A query about a user to the other processes that share a store, about their state in memory.
package struct UserQuery: Sendable, Equatable {
    /// Milliseconds after which it is no longer answered, and the store deletes it together with its answers.
    package static let lifetimeMilliseconds: UInt64 = 60_000

    package let id: UUIDv7
    package let appID: String
    /// `Authorizer.digest(ofUser:in:)`.
    package let user: KeyedDigest
    /// Whether the query precedes the user's erasure.
    package let forgets: Bool

    package init(id: UUIDv7, appID: String, user: KeyedDigest, forgets: Bool) {
        (self.id, self.appID, self.user, self.forgets) = (id, appID, user, forgets)
    }
}
