internal import Core
internal import SQLite
internal import Time

extension WritingDatabase {
    /// Checks a call, and counts it when it is allowed now; `write` must follow.
    /// - Parameter book: the counts that the claim has read so far.
    /// - Returns: the time at which the call is allowed; nil when it is allowed now.
    func admit(_ call: RateLimitedCall, claim: Claim, limiter: inout OutboundRateLimiter) throws(SQLiteError) -> UnixMilliseconds? {
        try read(call, notifier: claim.notifier, limiter: &limiter)
        return limiter.admit(call, notifier: claim.notifier, now: claim.now)
    }

    /// Removes the last call about a person and a device from the counts.
    func giveBack(_ call: RateLimitedCall, notifier: String) throws(SQLiteError) {
        var limiter = OutboundRateLimiter()
        try read(call, notifier: notifier, limiter: &limiter)
        limiter.giveBack(call, notifier: notifier)
        try write(&limiter)
    }

    func write(_ limiter: inout OutboundRateLimiter) throws(SQLiteError) {
        for key in limiter.changed {
            guard let calls = limiter.calls[key] else { continue }
            try statements.putPacedCalls.run(key.notifier.text, key.number, calls.until.stored, calls.times.bytes)
        }
        limiter.wrote()
    }

    /// Deletes expired counts and returns their number.
    func deleteRateLimitedCalls(until time: UnixMilliseconds, limit: Int) throws(SQLiteError) -> Int {
        var old: [(notifier: String, number: Int64)] = []
        try statements.findOldPacedCalls.forEachRow(time.stored, limit) { row throws(SQLiteError) in
            old.append((try row.string(0), try row.int64(1)))
        }
        for key in old { try statements.deletePacedCalls.run(key.notifier, key.number) }
        return old.count
    }

    private func read(_ call: RateLimitedCall, notifier: String, limiter: inout OutboundRateLimiter) throws(SQLiteError) {
        for key in OutboundRateLimiter.keys(of: call, notifier: notifier) where limiter.calls[key] == nil {
            var found: (times: CallTimes, until: UnixMilliseconds) = (CallTimes(), 0)
            try statements.rateLimitedCalls.forEachRow(notifier, key.number) { row throws(SQLiteError) in
                found = (CallTimes(bytes: try row.optionalBytes(0) ?? []), try row.time(1))
            }
            limiter.take(found.times, until: found.until, for: key)
        }
    }
}
