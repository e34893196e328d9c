internal import Core
internal import SQLite

extension WritingDatabase {
    /// Reports on tries, and leases what is due for new ones.
    func work(
        _ finished: [FinishedTry], _ claims: [Claim], _ audience: RegistryAudience
    ) throws(SQLiteError) -> [Result<Claimed, StoreError>] {
        for result in finished { try finish(result, audience) }
        var results: [Result<Claimed, StoreError>] = []
        results.reserveCapacity(claims.count)
        var budget = ClaimBudget()
        for claim in claims {
            let result = try claimAlone(claim, budget)
            if case .success(let claimed) = result { budget.spend(claimed) }
            results.append(result)
        }
        return results
    }

    /// Leases due deliveries; a failure that concerns this claim alone is its result.
    private func claimAlone(_ claim: Claim, _ budget: ClaimBudget) throws(SQLiteError) -> Result<Claimed, StoreError> {
        // Known without a look at the file, so that notifiers without work cost the others nothing.
        guard counts.pending(claim.notifier) > 0 else { return .success(Claimed(nextDue: nil)) }
        do throws(SQLiteError) {
            return .success(try part { () throws(SQLiteError) in try claimDue(claim, budget) })
        } catch {
            guard !error.concernsFile else { throw error }
            return .failure(StoreError(error))
        }
    }

    /// Leases due deliveries, and gives up those that have expired.
    private func claimDue(_ claim: Claim, _ budget: ClaimBudget) throws(SQLiteError) -> Claimed {
        var claimed: [Delivery] = []
        var (expired, withoutTarget) = (0, 0)
        let limit = budget.limit(claim)
        try pullIn(claim)
        while claimed.count < limit, expired + withoutTarget < budget.ends {
            let due = try due(claim, limit: limit - claimed.count)
            if due.isEmpty { break }
            for stored in due where expired + withoutTarget < budget.ends {
                guard let end = end(of: stored, expiredBy: claim.expiredBy) else {
                    claimed.append(try begin(stored, claim))
                    continue
                }
                if end.state == .dead { expired += 1 } else { withoutTarget += 1 }
                // The next one of its ticket may have been due for longer than the rest of these.
                if try giveUp(stored.key, end.state, end.reason, at: claim.now) { break }
            }
        }
        return Claimed(claimed, expired: expired, withoutTarget: withoutTarget, nextDue: try nextDue(claim.notifier))
    }

    /// When a notifier's next delivery is due.
    private func nextDue(_ notifier: String) throws(SQLiteError) -> UInt64? {
        var due: UInt64?
        statements.nextDue.bind(notifier, at: 1)
        try statements.nextDue.readBound { row throws(SQLiteError) in due = row.isNull(0) ? nil : try row.time(0) }
        return due
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
