internal import Core
internal import SQLite

extension WritingDatabase {
    /// Leases due deliveries, and gives up those that have expired.
    func claimDue(_ claim: Claim) throws(SQLiteError) -> Claimed {
        var claimed: [Delivery] = []
        var (givenUp, expired) = (0, 0)
        try pullIn(claim)
        while claimed.count < claim.limit, givenUp < StoreRules.expiredPerClaim {
            let due = try due(claim, limit: claim.limit - claimed.count)
            if due.isEmpty { break }
            for stored in due where givenUp < StoreRules.expiredPerClaim {
                guard let end = end(of: stored, expiredBy: claim.expiredBy) else {
                    claimed.append(try begin(stored, claim))
                    continue
                }
                givenUp += 1
                if end.state == .dead { expired += 1 }
                // The next one of its ticket may have been due for longer than the rest of these.
                if try giveUp(stored.key, end.state, end.reason, at: claim.now) { break }
            }
        }
        return Claimed(claimed, expired: expired)
    }

    /// What a due delivery ends as instead of being tried.
    private func end(of stored: StoredDelivery, expiredBy: UInt64) -> (state: Delivery.State, reason: String)? {
        if stored.needsDevice, stored.delivery.device == nil { return (.noTarget, StoreRules.noTarget) }
        return stored.delivery.event.expiresAt <= expiredBy ? (.dead, StoreRules.expired) : nil
    }

    /// Makes due what waits longer than can be, because the clock was set back: in steps, since the next claim goes on.
    private func pullIn(_ claim: Claim) throws(SQLiteError) {
        let statement = statements.pullIn
        statement.bind(claim.notifier, at: 1)
        statement.bind(claim.now.stored, at: 2)
        statement.bind(claim.latestDue.stored, at: 3)
        statement.bind(StoreRules.pulledInPerClaim, at: 4)
        try statement.runBound()
    }

    private func due(_ claim: Claim, limit: Int) throws(SQLiteError) -> [StoredDelivery] {
        let statement = statements.due
        statement.bind(claim.notifier, at: 1)
        statement.bind(claim.now.stored, at: 2)
        statement.bind(Int64(limit), at: 3)
        defer { statement.reset() }
        var due: [StoredDelivery] = []
        while try statement.step() { due.append(try StoredDelivery(statement)) }
        return due
    }

    private func begin(_ stored: StoredDelivery, _ claim: Claim) throws(SQLiteError) -> Delivery {
        let delivery = stored.delivery.claimed(until: claim.now + claim.leaseMilliseconds)
        let key = stored.key
        try run(statements.claim, key, Int64(delivery.attempts), delivery.dueAt.stored)
        try run(statements.beginAttempt, key, Int64(delivery.attempts), claim.now.stored)
        return delivery
    }

    /// Runs a statement about one delivery with two numbers more.
    private func run(_ statement: Statement, _ key: DeliveryKey, _ third: Int64, _ fourth: Int64) throws(SQLiteError) {
        statement.bind(key.event, at: 1)
        statement.bind(key.position, at: 2)
        statement.bind(third, at: 3)
        statement.bind(fourth, at: 4)
        try statement.runBound()
    }
}
