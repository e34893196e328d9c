internal import Core
internal import Time

/// Maintenance: operations of operators, and expiry by time.
extension MemoryState {
    mutating func retry(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, now: UnixMilliseconds, expiresAt: UnixMilliseconds,
        _ rules: MemoryRules
    ) -> RetryStep {
        let dead = entries.indices.reversed().filter { index in
            entries[index].delivery.state == .dead && filter.matches(entries[index].delivery) && isBefore(after, entries[index])
        }
        var (step, pending) = (RetryStep(), pendingByApp)
        for index in dead.prefix(limit) {
            let (notifier, event) = (entries[index].delivery.notifier, entries[index].delivery.event)
            let app = ByteKey(event.identity.appID)
            let obstacle =
                StoreRules.obstacle(isErased: erased.contains(event.id), lacksDevice: lacksDevice(entries[index]))
                ?? rules.bounds.obstacle(total: pending.total) { pending.queue(notifier, of: app) }
            step.count(obstacle)
            guard obstacle == nil else { continue }
            entries[index].delivery = entries[index].delivery.revived(at: now, expiresAt: expiresAt)
            pending.add(1, to: ByteKey(notifier), of: app)
        }
        step.seen = min(dead.count, limit)
        if dead.count >= limit { step.next = dead.prefix(limit).last.map { entries[$0].place } ?? after }
        return step
    }

    mutating func giveUpExpired(now: UnixMilliseconds, expiredBy: UnixMilliseconds, limit: Int) -> [ExpiredDeliveries] {
        let overdue = entries.indices.filter { isOverdue(entries[$0].delivery, now: now, expiredBy: expiredBy) }
        let groups = Dictionary(grouping: overdue) { ByteKey(entries[$0].delivery.notifier) }
        var expired: [ExpiredDeliveries] = []
        var left = limit
        for (notifier, indices) in groups.sorted(by: { $0.key < $1.key }) where left > 0 {
            let first = indices.sorted { expiresFirst($0, $1) }.prefix(left)
            for index in first { end(index, .dead, at: now, reason: StoreRules.expired) }
            expired.append(ExpiredDeliveries(notifier: notifier.text, count: first.count))
            left -= first.count
        }
        return expired
    }

    mutating func giveUpPending(notifier: String, now: UnixMilliseconds, limit: Int) -> Int {
        let pending = entries.indices.filter {
            entries[$0].delivery.state == .pending && entries[$0].delivery.notifier.utf8.elementsEqual(notifier.utf8)
        }
        let first = pending.sorted { expiresFirst($0, $1) }.prefix(limit)
        for index in first { end(index, .dead, at: now, reason: StoreRules.purged) }
        return first.count
    }

    mutating func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int) -> Int {
        var done = forget(limit: limit) { $0.state == .dead ? deadBefore : deliveredBefore }
        done += forgetPast(receivedBefore: Deduplication.earliestArrival(now: now), limit: limit - done)
        done += deleteConversations(before: Deduplication.earliestArrival(now: now), limit: limit - done)
        done += botCalls.purge(now: now, deliveredBefore: deliveredBefore, deadBefore: deadBefore, limit: limit - done)
        return done + limiter.forget(until: now, limit: limit - done)
    }

    func expiresFirst(_ left: Int, _ right: Int) -> Bool {
        (entries[left].delivery.event.expiresAt, left) < (entries[right].delivery.event.expiresAt, right)
    }

    mutating func expireBy(_ latest: UnixMilliseconds, limit: Int) {
        let late = entries.indices.filter { entries[$0].delivery.state == .pending && entries[$0].delivery.event.expiresAt > latest }
        for index in late.prefix(limit) { entries[index].delivery = entries[index].delivery.expiring(at: latest) }
    }

    private func isOverdue(_ delivery: Delivery, now: UnixMilliseconds, expiredBy: UnixMilliseconds) -> Bool {
        delivery.state == .pending && delivery.dueAt <= now && delivery.event.expiresAt <= expiredBy
    }

    /// Deletes up to `limit` deliveries that ended before the time that `endedBefore` returns for them, and events that have no deliveries
    /// left. Comments of deleted events are still recognised as duplicates.
    mutating func forget(limit: Int, endedBefore: (Delivery) -> UnixMilliseconds) -> Int {
        let ended = entries.map(\.delivery).filter { delivery in delivery.endedAt.map { $0 < endedBefore(delivery) } ?? false }
        let ids = Set(ended.prefix(limit).map(\.id))
        entries.removeAll { ids.contains($0.delivery.id) }
        let touched = Set(ids.map(\.event))
        let done = touched.subtracting(entries.map(\.delivery.event.id))
        for event in events where done.contains(event.id) { remember(event) }
        events.removeAll { done.contains($0.id) }
        erased.subtract(done)
        for id in touched.subtracting(done) { dropDataIfUnneeded(id) }
        return ids.count
    }

    private mutating func forgetPast(receivedBefore time: UnixMilliseconds, limit: Int) -> Int {
        let old = past.filter { $0.value.receivedAt < time }.keys.prefix(limit)
        for identity in old { past[identity] = nil }
        return old.count
    }
}
