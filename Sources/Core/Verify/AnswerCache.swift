package import Time

/// Cached answers of one app's backend, bounded in number; the oldest leaves first.
///
/// An entry has a fixed size, about 250 bytes with its place in the order, so the bound is one of memory too. Yes and no have separate
/// bounds: strangers who try many keys must not displace users' answers. An expired yes stays as a mark until it is displaced: the key was
/// allowed before. A value; the caller locks.
package struct AnswerCache: Sendable {
    private var allowed: BoundedTable<CheckIdentity, MonotonicMilliseconds>
    private var denied: BoundedTable<CheckIdentity, MonotonicMilliseconds>

    /// Makes an empty cache for at most so many answers of each kind; 1 at least.
    package init(maximumAllowed: Int = 50_000, mostDenied: Int = 10_000) {
        allowed = BoundedTable(limit: maximumAllowed)
        denied = BoundedTable(limit: mostDenied)
    }

    /// The number of answers, including expired ones.
    package var count: Int { allowed.count + denied.count }

    /// The answer that is kept for an identity.
    package func answer(_ identity: CheckIdentity, now: MonotonicMilliseconds) -> BackendAnswer? {
        if let end = allowed[identity], now < end { return .allowed }
        if let end = denied[identity], now < end { return .denied }
        return nil
    }

    /// Whether the last decision about an identity allowed the user; nil if it is no longer cached.
    package func wasAllowed(_ identity: CheckIdentity) -> Bool { allowed[identity] != nil }

    /// Caches a decision for its lifetime, in place of the identity's former one.
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

    /// Forgets the answers about a person; looks at each entry.
    /// - Parameter person: as in `CheckIdentity`; nil for everybody. Then the marks stay, because this happens after each failure of the
    ///   store and must not make all keys new.
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
