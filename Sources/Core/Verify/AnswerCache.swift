package import Time

/// A bounded cache of the responses of one app's backend. An entry takes about 250 bytes, so the bound also limits memory. Positive and
/// negative answers have separate bounds, so that invented keys do not evict the answers about users. An expired positive answer remains
/// until it is evicted: it marks a key that was allowed before. This type is a value; the caller locks.
package struct AnswerCache: Sendable {
    /// Times of expiry.
    private var allowed: BoundedTable<CheckIdentity, MonotonicMilliseconds>
    private var denied: BoundedTable<CheckIdentity, MonotonicMilliseconds>

    /// The limits must be at least 1.
    package init(maximumAllowed: Int = 50_000, mostDenied: Int = 10_000) {
        allowed = BoundedTable(limit: maximumAllowed)
        denied = BoundedTable(limit: mostDenied)
    }

    /// Includes expired answers.
    package var count: Int { allowed.count + denied.count }

    package func answer(_ identity: CheckIdentity, now: MonotonicMilliseconds) -> BackendAnswer? {
        if let end = allowed[identity], now < end { return .allowed }
        if let end = denied[identity], now < end { return .denied }
        return nil
    }

    /// Whether the last known decision was positive, even if it has expired.
    package func wasAllowed(_ identity: CheckIdentity) -> Bool { allowed[identity] != nil }

    /// Stores a decision for `milliseconds`, replacing an earlier one.
    package mutating func keep(_ answer: BackendAnswer, of identity: CheckIdentity, milliseconds: UInt64, now: MonotonicMilliseconds) {
        if case .undecided = answer { return }
        allowed.remove(identity)
        denied.remove(identity)
        let end = now.saturating(adding: milliseconds)
        if answer == .allowed {
            allowed.insert(end, for: identity)
        } else if milliseconds > 0 {
            denied.insert(end, for: identity)
        }
    }

    /// Removes the answers about a user; examines each entry.
    /// - Parameter person: as in `CheckIdentity`; nil for all users. With nil, positive answers only expire and remain as marks: this is
    ///   called after each failure of the store, which must not make all keys new.
    package mutating func forget(person: UInt128?) {
        if let person {
            allowed.removeAll { $0.person == person }
            denied.removeAll { $0.person == person }
        } else {
            allowed.setAll(0)
            denied.removeAll { _ in true }
        }
    }
}
