package import Time

/// Answers of one app's backend, kept for a while: bounded in number, and the oldest leaves first.
///
/// An entry has a fixed size, about 250 bytes with its place in the order, so the bound is one of memory too. A yes and a no have bounds of
/// their own: strangers who try many keys must not displace what is kept of users. It is a value, and the caller locks.
package struct AnswerCache: Sendable {
    private var allowed: Shelf
    private var denied: Shelf

    /// Makes an empty cache for at most so many answers of each kind; 1 at least.
    package init(mostAllowed: Int = 50_000, mostDenied: Int = 10_000) {
        precondition(mostAllowed >= 1 && mostDenied >= 1, "a cache has room for something")
        allowed = Shelf(limit: mostAllowed)
        denied = Shelf(limit: mostDenied)
    }

    /// How many answers are kept, including those whose time is over.
    package var count: Int { allowed.entries.count + denied.entries.count }

    /// The answer that is kept for an identity.
    package func answer(_ identity: CheckIdentity, now: MonotonicMilliseconds) -> BackendAnswer? {
        if allowed.has(identity, now: now) { return .allowed }
        return denied.has(identity, now: now) ? .denied : nil
    }

    /// Keeps a reply as long as its lifetime says, in place of what was kept for this identity before.
    package mutating func keep(_ answer: BackendAnswer, of identity: CheckIdentity, milliseconds: UInt64, now: MonotonicMilliseconds) {
        allowed.entries[identity] = nil
        denied.entries[identity] = nil
        guard milliseconds > 0 else { return }
        let end = now.saturating(adding: milliseconds)
        switch answer {
        case .allowed: allowed.insert(identity, until: end)
        case .denied: denied.insert(identity, until: end)
        case .undecided: break
        }
    }

    /// Forgets what is kept for a person; looks at each entry.
    /// - Parameter person: as in `CheckIdentity`; nil for everybody.
    package mutating func forget(person: UInt128?) {
        allowed.forget(person)
        denied.forget(person)
    }
}

/// Identities in the order of their arrival.
private struct Shelf: Sendable {
    struct Entry: Sendable {
        let end: MonotonicMilliseconds
        /// Its number in the order; an older number of the same identity means nothing any more.
        let turn: UInt64
    }

    let limit: Int
    var entries: [CheckIdentity: Entry] = [:]
    private var order: [(turn: UInt64, identity: CheckIdentity)] = []
    private var first = 0
    private var turns: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    func has(_ identity: CheckIdentity, now: MonotonicMilliseconds) -> Bool {
        entries[identity].map { now < $0.end } ?? false
    }

    mutating func insert(_ identity: CheckIdentity, until end: MonotonicMilliseconds) {
        while entries.count >= limit { removeOldest() }
        turns += 1
        entries[identity] = Entry(end: end, turn: turns)
        order.append((turns, identity))
        if order.count > 2 * limit + 16 { compact() }
    }

    mutating func forget(_ person: UInt128?) {
        entries = person.map { person in entries.filter { $0.key.person != person } } ?? [:]
        compact()
    }

    private mutating func removeOldest() {
        let (turn, identity) = order[first]
        first += 1
        if entries[identity]?.turn == turn { entries[identity] = nil }
    }

    private mutating func compact() {
        order = order[first...].filter { entries[$0.identity]?.turn == $0.turn }
        first = 0
    }
}
