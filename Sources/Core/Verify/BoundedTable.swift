// The type and its subscript are public, because package code is not specialized in other modules, and an unspecialized lookup takes about
// 500 ns.
/// A dictionary of limited size that evicts the oldest entry. This type is a value and is not synchronized: the caller must hold a lock.
public struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let value: Value
        /// The number in the order of insertion. An entry of `order` with an older number is obsolete.
        @usableFromInline let turn: UInt64
    }

    /// The maximum number of entries, at least 1. A smaller limit takes effect with the next insertion.
    package var limit: Int {
        willSet { precondition(newValue >= 1, "the limit must be at least 1") }
    }
    @usableFromInline var entries: [Key: Entry] = [:]
    private var order: [(turn: UInt64, key: Key)] = []
    private var first = 0
    private var turns: UInt64 = 0

    package init(limit: Int) {
        precondition(limit >= 1, "the limit must be at least 1")
        self.limit = limit
    }

    package var count: Int { entries.count }

    /// Returns the value of a key.
    @inlinable public subscript(key: Key) -> Value? { entries[key]?.value }

    /// Sets the value of a key, which becomes the newest entry.
    package mutating func insert(_ value: Value, for key: Key) {
        entries[key] = nil
        while entries.count >= limit { removeOldest() }
        turns += 1
        entries[key] = Entry(value: value, turn: turns)
        order.append((turns, key))
        if order.count > 2 * limit + 16 { compact() }
    }

    @discardableResult
    package mutating func remove(_ key: Key) -> Value? { entries.removeValue(forKey: key)?.value }

    /// Sets all values. The order is unchanged.
    package mutating func setAll(_ value: Value) {
        entries = entries.mapValues { Entry(value: value, turn: $0.turn) }
    }

    /// Removes all entries whose keys match.
    package mutating func removeAll(where matches: (Key) -> Bool) {
        entries = entries.filter { !matches($0.key) }
        compact()
    }

    private mutating func removeOldest() {
        let (turn, key) = order[first]
        first += 1
        if entries[key]?.turn == turn { entries[key] = nil }
    }

    private mutating func compact() {
        order = order[first...].filter { entries[$0.key]?.turn == $0.turn }
        first = 0
    }
}
