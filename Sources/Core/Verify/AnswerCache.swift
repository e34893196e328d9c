package import Time

/// Answers of one app's backend, kept for a while: bounded in number, and the oldest leaves first.
///
/// An entry has a fixed size, about 250 bytes with its place in the order, so the bound is one of memory too. A yes and a no have bounds of
/// their own: strangers who try many keys must not displace what is kept of users. It is a value, and the caller locks.
package struct AnswerCache: Sendable {
    /// When the answers' time is over.
    private var allowed: BoundedTable<CheckIdentity, MonotonicMilliseconds>
    private var denied: BoundedTable<CheckIdentity, MonotonicMilliseconds>

    /// Makes an empty cache for at most so many answers of each kind; 1 at least.
    package init(mostAllowed: Int = 50_000, mostDenied: Int = 10_000) {
        allowed = BoundedTable(limit: mostAllowed)
        denied = BoundedTable(limit: mostDenied)
    }

    /// How many answers are kept, including those whose time is over.
    package var count: Int { allowed.count + denied.count }

    /// The answer that is kept for an identity.
    package func answer(_ identity: CheckIdentity, now: MonotonicMilliseconds) -> BackendAnswer? {
        if let end = allowed[identity], now < end { return .allowed }
        if let end = denied[identity], now < end { return .denied }
        return nil
    }

    /// Keeps a reply as long as its lifetime says, in place of what was kept for this identity before.
    package mutating func keep(_ answer: BackendAnswer, of identity: CheckIdentity, milliseconds: UInt64, now: MonotonicMilliseconds) {
        allowed.remove(identity)
        denied.remove(identity)
        guard milliseconds > 0 else { return }
        let end = now.saturating(adding: milliseconds)
        switch answer {
        case .allowed: allowed.insert(end, for: identity)
        case .denied: denied.insert(end, for: identity)
        case .undecided: break
        }
    }

    /// Forgets what is kept for a person; looks at each entry.
    /// - Parameter person: as in `CheckIdentity`; nil for everybody.
    package mutating func forget(person: UInt128?) {
        let isCovered: (CheckIdentity) -> Bool = { person == nil || $0.person == person }
        allowed.removeAll(where: isCovered)
        denied.removeAll(where: isCovered)
    }
}
