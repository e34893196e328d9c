internal import Time

/// From the digest of a subject to the first second whose keys are not revoked: open addressing in small shards, so that a changed copy
/// shares all shards but one with the former table.
struct RevocationTable: Sendable {
    private struct Slot: Sendable {
        var subject = KeyedDigest(low: 0, high: 0)
        /// 0 in an empty slot.
        var issuedBefore: UInt64 = 0
    }

    static let shardCount = 256
    private static let smallestShard = 8

    private var shards = [[Slot]](repeating: [], count: shardCount)
    private var counts = [Int](repeating: 0, count: shardCount)

    /// The shard of a subject.
    static func shard(of subject: KeyedDigest) -> Int { Int(truncatingIfNeeded: subject.high) & (shardCount - 1) }

    /// The first second whose keys of a subject are not revoked; nil when none are. Allocates nothing.
    func issuedBefore(_ subject: KeyedDigest) -> UnixSeconds? {
        let shard = Self.shard(of: subject)
        guard let slot = slot(of: subject, shard), shards[shard][slot].issuedBefore != 0 else { return nil }
        return UnixSeconds(rawValue: shards[shard][slot].issuedBefore)
    }

    /// Sets the bound of a subject; nil removes it.
    /// - Precondition: the bound is not 0.
    mutating func set(_ subject: KeyedDigest, _ issuedBefore: UnixSeconds?) {
        let shard = Self.shard(of: subject)
        guard let issuedBefore else { return remove(subject, shard) }
        // A quarter stays empty, so that each search ends soon.
        if (counts[shard] + 1) * 4 > shards[shard].count * 3 { resize(shard, to: max(Self.smallestShard, shards[shard].count * 2)) }
        put(Slot(subject: subject, issuedBefore: issuedBefore.rawValue), shard)
    }

    private mutating func remove(_ subject: KeyedDigest, _ shard: Int) {
        guard let slot = slot(of: subject, shard), shards[shard][slot].issuedBefore != 0 else { return }
        shards[shard][slot].issuedBefore = 0
        // The others take their places again: some may have stood behind this one.
        resize(shard, to: shards[shard].count)
    }

    private mutating func resize(_ shard: Int, to size: Int) {
        let kept = shards[shard].filter { $0.issuedBefore != 0 }
        shards[shard] = [Slot](repeating: Slot(), count: size)
        counts[shard] = 0
        for slot in kept { put(slot, shard) }
    }

    private mutating func put(_ entry: Slot, _ shard: Int) {
        guard let slot = slot(of: entry.subject, shard) else { preconditionFailure("a shard has an empty slot") }
        if shards[shard][slot].issuedBefore == 0 { counts[shard] += 1 }
        shards[shard][slot] = entry
    }

    /// The slot that has a subject, or the empty one where it would be; nil in a shard without slots.
    private func slot(of subject: KeyedDigest, _ shard: Int) -> Int? {
        let mask = shards[shard].count - 1
        guard mask > 0 else { return nil }
        var slot = Int(truncatingIfNeeded: subject.low) & mask
        while shards[shard][slot].issuedBefore != 0, shards[shard][slot].subject != subject { slot = (slot + 1) & mask }
        return slot
    }
}
