internal import Time

/// Maps the digest of a subject to the first second whose keys are not revoked. Open addressing in small shards; a changed copy shares all
/// shards but one with the previous table.
struct RevocationTable: Sendable {
    static let shardCount = 256

    private var shards = [RevocationShard](repeating: RevocationShard(), count: shardCount)

    static func shard(of subject: KeyedDigest) -> Int { Int(truncatingIfNeeded: subject.high) & (shardCount - 1) }

    /// Nil for a subject that is not revoked. Does not allocate.
    func issuedBefore(_ subject: KeyedDigest) -> UnixSeconds? { shards[Self.shard(of: subject)].issuedBefore(subject) }

    /// Nil removes the subject.
    mutating func set(_ subject: KeyedDigest, _ issuedBefore: UnixSeconds?) { shards[Self.shard(of: subject)].set(subject, issuedBefore) }
}

/// The size is 0 or a power of two.
private struct RevocationShard: Sendable {
    private struct Slot: Sendable {
        var subject = KeyedDigest(low: 0, high: 0)
        var issuedBefore: UnixSeconds = 0
    }

    private static let smallestSize = 8

    /// 0 for an empty slot, otherwise part of the subject's digest. The tags of 100,000 subjects take 256 KB and stay in the processor's
    /// caches; the slots take 6 MB and do not. A lookup of a subject that is not revoked rarely reads a slot.
    private var tags: [UInt8] = []
    private var slots: [Slot] = []
    private var count = 0

    func issuedBefore(_ subject: KeyedDigest) -> UnixSeconds? {
        guard let slot = slot(of: subject), tags[slot] != 0 else { return nil }
        return slots[slot].issuedBefore
    }

    mutating func set(_ subject: KeyedDigest, _ issuedBefore: UnixSeconds?) {
        guard let issuedBefore else { return remove(subject) }
        // A quarter remains empty, so that each search ends soon.
        if (count + 1) * 4 > slots.count * 3 { resize(to: max(Self.smallestSize, slots.count * 2)) }
        put(Slot(subject: subject, issuedBefore: issuedBefore))
    }

    private mutating func remove(_ subject: KeyedDigest) {
        guard let slot = slot(of: subject), tags[slot] != 0 else { return }
        tags[slot] = 0
        // The others are inserted again, because some may have been placed after this one.
        resize(to: slots.count)
    }

    private mutating func resize(to size: Int) {
        let kept = zip(tags, slots).filter { $0.0 != 0 }.map(\.1)
        (tags, slots, count) = ([UInt8](repeating: 0, count: size), [Slot](repeating: Slot(), count: size), 0)
        for slot in kept { put(slot) }
    }

    private mutating func put(_ entry: Slot) {
        guard let slot = slot(of: entry.subject) else { preconditionFailure("a shard must have an empty slot") }
        if tags[slot] == 0 { count += 1 }
        tags[slot] = Self.tag(of: entry.subject)
        slots[slot] = entry
    }

    /// Returns the slot of a subject, or the empty one for it; nil in a shard without slots.
    private func slot(of subject: KeyedDigest) -> Int? {
        let mask = tags.count - 1
        guard mask > 0 else { return nil }
        let tag = Self.tag(of: subject)
        var slot = Int(truncatingIfNeeded: subject.low) & mask
        while tags[slot] != 0, tags[slot] != tag || slots[slot].subject != subject { slot = (slot + 1) & mask }
        return slot
    }

    /// Bits that select neither the shard nor the slot; never 0.
    private static func tag(of subject: KeyedDigest) -> UInt8 { UInt8(truncatingIfNeeded: subject.high >> 56) | 1 }
}
