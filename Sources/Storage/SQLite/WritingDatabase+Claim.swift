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
                guard stored.delivery.event.expiresAt <= claim.now else {
                    claimed.append(try begin(stored, claim))
                    continue
                }
                try giveUp(stored.delivery.id, at: claim.now)
                givenUp += 1
                // The next one of its ticket may have been due for longer than the rest of these.
                if claim.keepsTicketOrder { break }
            }
        }
        return claimed
    }

    private func due(_ claim: Claim, limit: Int) throws(SQLiteError) -> [StoredDelivery] {
        let statement = claim.keepsTicketOrder ? statements.dueLeading : statements.due
        var due: [StoredDelivery] = []
        try statement.forEachRow(claim.notifier, claim.now.stored, limit) { row throws(SQLiteError) in due.append(try StoredDelivery(row)) }
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
