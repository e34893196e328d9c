internal import Core
internal import SQLite

extension WritingDatabase {
    /// Leases due deliveries, and gives up those that have expired.
    func claimDue(_ claim: Claim) throws(SQLiteError) -> [Delivery] {
        var claimed: [Delivery] = []
        var givenUp = 0
        try statements.pullIn.run(claim.notifier, claim.now.stored, claim.latestDue.stored)
        while claimed.count < claim.limit, givenUp < StoreRules.expiredPerClaim {
            let due = try due(claim, limit: claim.limit - claimed.count)
            if due.isEmpty { break }
            for stored in due where givenUp < StoreRules.expiredPerClaim {
                guard let end = end(of: stored, now: claim.now) else {
                    claimed.append(try begin(stored, claim))
                    continue
                }
                givenUp += 1
                // The next one of its ticket may have been due for longer than the rest of these.
                if try giveUp(stored.key, end.state, end.reason, at: claim.now) { break }
            }
        }
        return claimed
    }

    /// What a due delivery ends as instead of being tried.
    private func end(of stored: StoredDelivery, now: UInt64) -> (state: Delivery.State, reason: String)? {
        if stored.needsDevice, stored.delivery.device == nil { return (.noTarget, StoreRules.noTarget) }
        return stored.delivery.event.expiresAt <= now ? (.dead, StoreRules.expired) : nil
    }

    private func due(_ claim: Claim, limit: Int) throws(SQLiteError) -> [StoredDelivery] {
        var due: [StoredDelivery] = []
        try statements.due.forEachRow(claim.notifier, claim.now.stored, limit) { row throws(SQLiteError) in
            due.append(try StoredDelivery(row))
        }
        return due
    }

    private func begin(_ stored: StoredDelivery, _ claim: Claim) throws(SQLiteError) -> Delivery {
        let delivery = stored.delivery.claimed(until: claim.now + claim.leaseMilliseconds)
        let key = stored.key
        try statements.claim.run(key.event, key.position, delivery.attempts, delivery.dueAt.stored)
        try statements.beginAttempt.run(key.event, key.position, delivery.attempts, claim.now.stored)
        return delivery
    }
}
