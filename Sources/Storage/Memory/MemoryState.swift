internal import Core

/// All that a memory store knows, and what each transition makes of it.
struct MemoryState {
    /// A delivery with its tries.
    struct Entry {
        var delivery: Delivery
        var attempts: [DeliveryAttempt] = []
    }

    private var events: [Event.Identity: Event] = [:]
    /// In the order of their acceptance.
    private(set) var entries: [Entry] = []

    var pendingCount: Int {
        entries.count { $0.delivery.state == .pending }
    }

    mutating func accept(_ event: Event, _ deliveries: [Delivery], maxPending: Int) -> Result<Acceptance, StoreError> {
        if let earlier = events[event.identity] { return .success(.duplicate(of: earlier.id)) }
        guard deliveries.isEmpty || pendingCount + deliveries.count <= maxPending else { return .failure(.queueFull(maxPending)) }
        let ids = Set(deliveries.map(\.id))
        guard ids.count == deliveries.count, !entries.contains(where: { ids.contains($0.delivery.id) }) else { return .failure(.idInUse) }
        events[event.identity] = event
        for delivery in deliveries {
            entries.append(Entry(delivery: Delivery(id: delivery.id, notifier: delivery.notifier, event: event, dueAt: delivery.dueAt)))
        }
        return .success(.accepted)
    }

    mutating func claimDue(_ claim: Claim) -> [Delivery] {
        var claimed: [Delivery] = []
        var givenUp = 0
        pullIn(claim)
        while claimed.count < claim.limit, givenUp < StoreRules.expiredPerClaim, let index = longestDue(claim) {
            if entries[index].delivery.event.expiresAt <= claim.now {
                end(index, .dead, at: claim.now, reason: StoreRules.expired)
                givenUp += 1
            } else {
                claimed.append(begin(index, claim))
            }
        }
        return claimed
    }

    mutating func finish(_ result: FinishedTry) {
        guard let index = entries.firstIndex(where: { $0.delivery.id == result.id }) else { return }
        guard record(result, in: &entries[index].attempts) else { return }
        let delivery = entries[index].delivery
        guard delivery.state == .pending, delivery.attempts == result.attempt else { return }
        switch result.next {
        case .delivered: end(index, .delivered, at: result.now, reason: result.reason)
        case .dead: end(index, .dead, at: result.now, reason: result.reason)
        case .givenUp(let ending): end(index, .dead, at: result.now, reason: ending.rawValue)
        case .retry(let time): entries[index].delivery = delivery.retried(at: time, reason: result.reason)
        }
    }

    mutating func releaseLeases() {
        for index in entries.indices where entries[index].delivery.state == .pending {
            guard let last = entries[index].attempts.last, last.outcome.isEmpty else { continue }
            let number = entries[index].attempts.count - 1
            entries[index].attempts[number] = DeliveryAttempt(
                number: last.number, startedAt: last.startedAt, endedAt: nil, outcome: StoreRules.interrupted,
                reason: StoreRules.interrupted)
            entries[index].delivery = entries[index].delivery.retried(at: last.startedAt, reason: StoreRules.interrupted)
        }
    }

    mutating func retry(_ filter: DeliveryFilter, now: UInt64, expiresAt: UInt64) -> Int {
        let dead = entries.indices.filter { entries[$0].delivery.state == .dead && filter.matches(entries[$0].delivery) }
        for index in dead { entries[index].delivery = entries[index].delivery.revived(at: now, expiresAt: expiresAt) }
        return dead.count
    }

    mutating func purge(now: UInt64, deliveredBefore: UInt64, deadBefore: UInt64, limit: Int) -> Int {
        var done = 0
        for index in entries.indices where done < limit && isOverdue(entries[index].delivery, now) {
            end(index, .dead, at: now, reason: StoreRules.expired)
            done += 1
        }
        let ended = entries.lazy.map(\.delivery).filter { delivery in
            guard let time = delivery.endedAt else { return false }
            return time < (delivery.state == .delivered ? deliveredBefore : deadBefore)
        }
        let forgotten = Set(ended.prefix(limit - done).map(\.id))
        forget(forgotten)
        done += forgotten.count
        return done + forgetEvents(receivedBefore: deliveredBefore, limit: limit - done)
    }

    func pending() -> [PendingDeliveries] {
        let groups = Dictionary(grouping: entries.map(\.delivery).filter { $0.state == .pending }) { ByteKey($0.notifier) }
        return groups.sorted { $0.key < $1.key }.map { name, deliveries in
            PendingDeliveries(notifier: name.text, count: deliveries.count, oldestReceivedAt: deliveries[0].event.receivedAt)
        }
    }

    /// The pending deliveries of a notifier, without those that wait for an earlier one of their ticket where order is kept.
    func waiting(for notifier: String, keepsTicketOrder: Bool) -> [Int] {
        var tickets: Set<TicketKey> = []
        return entries.indices.filter { index in
            let delivery = entries[index].delivery
            guard delivery.state == .pending, delivery.notifier.utf8.elementsEqual(notifier.utf8) else { return false }
            return tickets.insert(TicketKey(delivery)).inserted || !keepsTicketOrder
        }
    }

    /// Makes due what was put off before the clock was set back.
    private mutating func pullIn(_ claim: Claim) {
        for index in waiting(for: claim.notifier, keepsTicketOrder: false) where entries[index].delivery.dueAt > claim.latestDue {
            let delivery = entries[index].delivery
            entries[index].delivery = delivery.retried(at: claim.now, reason: delivery.reason)
        }
    }

    private func longestDue(_ claim: Claim) -> Int? {
        waiting(for: claim.notifier, keepsTicketOrder: claim.keepsTicketOrder)
            .filter { entries[$0].delivery.dueAt <= claim.now }
            .min { (entries[$0].delivery.dueAt, $0) < (entries[$1].delivery.dueAt, $1) }
    }

    private func isOverdue(_ delivery: Delivery, _ now: UInt64) -> Bool {
        delivery.state == .pending && delivery.dueAt <= now && delivery.event.expiresAt <= now
    }

    private mutating func begin(_ index: Int, _ claim: Claim) -> Delivery {
        let delivery = entries[index].delivery.claimed(until: claim.now + claim.leaseMilliseconds)
        entries[index].delivery = delivery
        entries[index].attempts.append(
            DeliveryAttempt(number: delivery.attempts, startedAt: claim.now, endedAt: nil, outcome: "", reason: ""))
        return delivery
    }

    private mutating func end(_ index: Int, _ state: Delivery.State, at time: UInt64, reason: String) {
        entries[index].delivery = entries[index].delivery.ended(state, at: time, reason: reason)
    }

    /// Writes a report into the story; false when that try is not known or was reported before.
    private func record(_ result: FinishedTry, in attempts: inout [DeliveryAttempt]) -> Bool {
        guard let index = attempts.firstIndex(where: { $0.number == result.attempt && $0.endedAt == nil }) else { return false }
        attempts[index] = DeliveryAttempt(
            number: result.attempt, startedAt: attempts[index].startedAt, endedAt: result.now, outcome: result.next.outcome,
            reason: result.reason)
        return true
    }

    /// Removes deliveries, and the events whose last ones they were.
    private mutating func forget(_ ids: Set<UUIDv7>) {
        let identities = Set(entries.lazy.map(\.delivery).filter { ids.contains($0.id) }.map(\.event.identity))
        entries.removeAll { ids.contains($0.delivery.id) }
        let remaining = Set(entries.map(\.delivery.event.identity))
        for identity in identities.subtracting(remaining) { events[identity] = nil }
    }

    /// Removes events that never had a delivery.
    private mutating func forgetEvents(receivedBefore time: UInt64, limit: Int) -> Int {
        let inUse = Set(entries.map(\.delivery.event.identity))
        let old = events.values.filter { $0.receivedAt < time && !inUse.contains($0.identity) }.prefix(limit).map(\.identity)
        for identity in old { events[identity] = nil }
        return old.count
    }
}

/// What deliveries are kept in order by, within a notifier.
private struct TicketKey: Hashable {
    let appID: ByteKey
    let ticketID: Int64

    init(_ delivery: Delivery) {
        appID = ByteKey(delivery.event.identity.appID)
        ticketID = delivery.event.identity.ticketID
    }
}
