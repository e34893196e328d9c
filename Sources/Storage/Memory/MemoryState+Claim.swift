internal import Core
internal import Time

extension MemoryState {
    /// Leases due deliveries for the claims, in order and within one shared budget.
    mutating func claimDue(_ claims: [Claim]) -> [Claimed] {
        var budget = ClaimBudget()
        return claims.map { claim in
            let claimed = claimDue(claim, budget)
            budget.spend(claimed)
            return claimed
        }
    }

    private mutating func claimDue(_ claim: Claim, _ budget: ClaimBudget) -> Claimed {
        var claimed: [Delivery] = []
        var (expired, withoutTarget, putOff) = (0, 0, 0)
        pullIn(claim)
        while claimed.count < budget.limit(claim), expired + withoutTarget + putOff < budget.ends, let (app, index) = nextTurn(claim) {
            let begun = claimed.count
            if lacksDevice(entries[index]) {
                end(index, .noTarget, at: claim.now, reason: StoreRules.noTarget)
                withoutTarget += 1
            } else if entries[index].delivery.event.expiresAt <= claim.expiredBy {
                end(index, .dead, at: claim.now, reason: StoreRules.expired)
                expired += 1
            } else if let allowedAt = waits(index, claim) {
                entries[index].delivery = entries[index].delivery.retried(at: allowedAt, reason: StoreRules.paced)
                putOff += 1
            } else {
                claimed.append(begin(index, claim))
            }
            if claimed.count > begun || expired + withoutTarget + putOff == budget.ends {
                turns[ByteKey(claim.notifier), default: AppTurns()].took(app)
            }
        }
        let nextDue = waiting(for: claim.notifier).map { entries[$0].delivery.dueAt }.min()
        return Claimed(claimed, expired: expired, withoutTarget: withoutTarget, putOff: putOff, nextDue: nextDue)
    }

    /// Applies the rate limits to a due delivery, and counts its call if the call is allowed now.
    /// - Returns: the earliest time at which the call is allowed; nil if it is allowed now.
    private mutating func waits(_ index: Int, _ claim: Claim) -> UnixMilliseconds? {
        guard let call = RateLimitedCall(shown(entries[index]), claim.rateLimits) else { return nil }
        defer { limiter.wrote() }
        return limiter.admit(call, notifier: claim.notifier, now: claim.now)
    }

    /// Makes deliveries due now whose due time is later than any backoff allows, because the clock was set back.
    private mutating func pullIn(_ claim: Claim) {
        for index in entries.indices {
            let delivery = entries[index].delivery
            guard delivery.state == .pending, delivery.notifier.utf8.elementsEqual(claim.notifier.utf8),
                delivery.dueAt > claim.latestPlausibleDue
            else { continue }
            entries[index].delivery = delivery.retried(at: claim.now, reason: delivery.reason)
        }
    }

    /// Returns the longest-due delivery of the app whose turn it is.
    private func nextTurn(_ claim: Claim) -> (app: ByteKey, index: Int)? {
        let due = waiting(for: claim.notifier).filter { entries[$0].delivery.dueAt <= claim.now }
        let apps = Dictionary(grouping: due) { ByteKey(entries[$0].delivery.event.identity.appID) }
        let app = turns[ByteKey(claim.notifier), default: AppTurns()].next(among: apps.keys.sorted())
        let first = app.flatMap { apps[$0]?.min { (entries[$0].delivery.dueAt, $0) < (entries[$1].delivery.dueAt, $1) } }
        guard let app, let first else { return nil }
        return (app, first)
    }

    private mutating func begin(_ index: Int, _ claim: Claim) -> Delivery {
        let delivery = entries[index].delivery.claimed(until: claim.now + claim.leaseMilliseconds)
        entries[index].delivery = delivery
        entries[index].attempts.append(
            DeliveryAttempt(number: delivery.attempts, startedAt: claim.now, endedAt: nil, outcome: "", reason: ""))
        return shown(entries[index])
    }
}
