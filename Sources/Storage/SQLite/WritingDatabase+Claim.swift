internal import Core
internal import SQLite
internal import Time

extension WritingDatabase {
    /// Records the outcomes of attempts, and then leases due deliveries for new ones.
    func work(
        _ finished: [FinishedAttempt], claims: [Claim], audience: RegistryAudience
    ) throws(SQLiteError) -> [Result<Claimed, StoreError>] {
        for result in finished { try finish(result, audience) }
        var results: [Result<Claimed, StoreError>] = []
        results.reserveCapacity(claims.count)
        var budget = ClaimBudget()
        for claim in claims {
            let result = try claimInSavepoint(claim, budget)
            if case .success(let claimed) = result { budget.spend(claimed) }
            results.append(result)
        }
        return results
    }

    /// Runs one claim in a savepoint, so that a failure of this claim alone becomes its result and rolls back nothing else.
    private func claimInSavepoint(_ claim: Claim, _ budget: ClaimBudget) throws(SQLiteError) -> Result<Claimed, StoreError> {
        // The count in memory saves the search for a notifier without pending deliveries.
        guard counts.hasPending(claim.notifier) else { return .success(Claimed(nextDue: nil)) }
        do throws(SQLiteError) {
            return .success(try part { () throws(SQLiteError) in try claimDue(claim, budget) })
        } catch {
            guard !error.concernsFile else { throw error }
            return .failure(StoreError(error))
        }
    }

    /// Leases due deliveries, and ends those that have expired or have no device.
    private func claimDue(_ claim: Claim, _ budget: ClaimBudget) throws(SQLiteError) -> Claimed {
        var claimed: [Delivery] = []
        var (expired, withoutTarget, putOff) = (0, 0, 0)
        var limiter = OutboundRateLimiter()
        let limit = budget.limit(claim)
        var due = DueDeliveries(apps: counts.apps(of: claim.notifier))
        try pullIn(claim)
        while claimed.count < limit, expired + withoutTarget + putOff < budget.ends,
            let (app, stored) = try nextTurn(claim, room: limit - claimed.count, &due)
        {
            let begun = claimed.count
            if let end = end(of: stored, expiredBy: claim.expiredBy) {
                if end.state == .dead { expired += 1 } else { withoutTarget += 1 }
                // The ticket's next delivery may have been due for longer than the app's other deliveries that were read, so search again.
                if try giveUp(stored.key, state: end.state, reason: end.reason, at: claim.now) { due.read[app] = nil }
            } else if let call = RateLimitedCall(stored.delivery, claim.rateLimits),
                let allowedAt = try admit(call, claim: claim, limiter: &limiter)
            {
                try reschedule(stored.key, at: allowedAt, reason: StoreRules.paced)
                putOff += 1
            } else {
                claimed.append(try begin(stored, claim))
            }
            if claimed.count > begun || expired + withoutTarget + putOff == budget.ends {
                turns[ByteKey(claim.notifier), default: AppTurns()].took(app)
            }
        }
        try write(&limiter)
        return Claimed(claimed, expired: expired, withoutTarget: withoutTarget, putOff: putOff, nextDue: try nextDue(claim.notifier))
    }

    /// The delivery that has been due longest, of the app whose turn it is.
    /// - Parameter room: the number of deliveries that may still be leased; each app gets its share of them at once.
    private func nextTurn(
        _ claim: Claim, room: Int, _ due: inout DueDeliveries
    ) throws(SQLiteError) -> (app: Int64, stored: StoredDelivery)? {
        while let app = turns[ByteKey(claim.notifier), default: AppTurns()].next(among: due.apps) {
            if due.read[app, default: []].isEmpty { due.read[app] = try read(claim, app, limit: max(1, room / due.apps.count)).reversed() }
            if let stored = due.read[app]?.popLast() { return (app, stored) }
            due.apps.removeAll { $0 == app }
        }
        return nil
    }

    private func nextDue(_ notifier: String) throws(SQLiteError) -> UnixMilliseconds? {
        var due: UnixMilliseconds?
        for app in counts.apps(of: notifier) {
            try statements.nextDue.forEachRow(notifier, app) { row throws(SQLiteError) in
                if !row.isNull(0) { due = min(try row.time(0), due ?? .max) }
            }
        }
        return due
    }

    /// Returns the final state of a due delivery that must end without an attempt; nil if it must be attempted.
    private func end(of stored: StoredDelivery, expiredBy: UnixMilliseconds) -> (state: Delivery.State, reason: String)? {
        if stored.needsDevice, stored.delivery.device == nil { return (.noTarget, StoreRules.noTarget) }
        return stored.delivery.event.expiresAt <= expiredBy ? (.dead, StoreRules.expired) : nil
    }

    /// After the clock was set back, a delivery may be due later than any backoff allows. Makes such deliveries due now, a limited number
    /// in each claim.
    private func pullIn(_ claim: Claim) throws(SQLiteError) {
        var left = Int64(StoreRules.pulledInPerClaim)
        for app in counts.apps(of: claim.notifier) where left > 0 {
            try statements.pullIn.run(claim.notifier, claim.now.stored, claim.latestPlausibleDue.stored, left, app)
            left -= changes
        }
    }

    /// The due deliveries of an app, the longest due first.
    private func read(_ claim: Claim, _ app: Int64, limit: Int) throws(SQLiteError) -> [StoredDelivery] {
        let statement = statements.due
        statement.bind(claim.notifier, at: 1)
        statement.bind(claim.now.stored, at: 2)
        statement.bind(Int64(limit), at: 3)
        statement.bind(app, at: 4)
        defer { statement.reset() }
        var due: [StoredDelivery] = []
        while try statement.step() { due.append(try StoredDelivery(statement)) }
        return due
    }

    private func begin(_ stored: StoredDelivery, _ claim: Claim) throws(SQLiteError) -> Delivery {
        let delivery = stored.delivery.claimed(until: claim.now + claim.leaseMilliseconds)
        let key = stored.key
        try run(statements.claim, key: key, third: Int64(delivery.attempts), fourth: delivery.dueAt.stored)
        try run(statements.beginAttempt, key: key, third: Int64(delivery.attempts), fourth: claim.now.stored)
        return delivery
    }

    /// Runs a statement about one delivery with two further numbers.
    private func run(_ statement: Statement, key: DeliveryKey, third: Int64, fourth: Int64) throws(SQLiteError) {
        statement.bind(key.event, at: 1)
        statement.bind(key.position, at: 2)
        statement.bind(third, at: 3)
        statement.bind(fourth, at: 4)
        try statement.runBound()
    }
}

/// The due deliveries that a claim has read.
private struct DueDeliveries {
    /// The apps that may have due deliveries, in the order of their numbers.
    var apps: [Int64]
    /// The remaining deliveries of each app, the longest due last.
    var read: [Int64: [StoredDelivery]] = [:]
}
