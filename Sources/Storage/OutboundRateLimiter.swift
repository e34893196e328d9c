internal import Core
internal import Time

/// The counted calls of rate limits that a store has read. The store decides with this value, and then writes the changed counts.
struct OutboundRateLimiter {
    struct Key: Hashable, Comparable {
        let notifier: ByteKey
        /// A digest of the scope, the app and the person or device, so that a store contains no names. On a collision, both share one
        /// count.
        let number: Int64

        static func < (left: Self, right: Self) -> Bool { (left.notifier, left.number) < (right.notifier, right.number) }

        fileprivate init(_ notifier: String, rule: OutboundRateLimit, device: Device.Key) {
            self.notifier = ByteKey(notifier)
            number = shortDigest(of: rule.scope.rawValue, device.appID, rule.scope == .person ? device.userID : device.deviceID)
        }
    }

    /// The counted calls of one key.
    struct Calls {
        var times: CallTimes
        /// The time when the calls expire.
        var until: UnixMilliseconds
    }

    /// The counts that were read, including later changes.
    private(set) var calls: [Key: Calls] = [:]
    private(set) var changed: Set<Key> = []

    /// Returns the keys under which a call is counted.
    static func keys(of call: RateLimitedCall, notifier: String) -> [Key] {
        call.rules.map { Key(notifier, rule: $0, device: call.device) }
    }

    /// Adds the counts that a store has for a key; empty when it has none.
    mutating func take(_ times: CallTimes, until: UnixMilliseconds = 0, for key: Key) { calls[key] = Calls(times: times, until: until) }

    /// Decides whether a call is allowed, and counts it if it is allowed now. Its keys must have been read.
    /// - Returns: nil when the call is allowed now; otherwise the earliest time at which it is allowed.
    mutating func admit(_ call: RateLimitedCall, notifier: String, now: UnixMilliseconds) -> UnixMilliseconds? {
        let counts = call.rules.map { (rule: $0, key: Key(notifier, rule: $0, device: call.device)) }
        for count in counts { bringBack(count.key, rule: count.rule, now: now) }
        let allowedAt = counts.map { $0.rule.allowedAt(after: times($0.key), now: now) }.max() ?? now
        guard allowedAt <= now else { return allowedAt }
        for (rule, key) in counts {
            calls[key] = Calls(times: times(key).adding(now, keeping: rule.max), until: now + rule.windowMilliseconds)
            changed.insert(key)
        }
        return nil
    }

    /// Removes the last call from the counts, because it never reached its receiver. Its keys must have been read.
    mutating func giveBack(_ call: RateLimitedCall, notifier: String) {
        for key in Self.keys(of: call, notifier: notifier) {
            let counted = times(key)
            guard !counted.bytes.isEmpty else { continue }
            calls[key]?.times = counted.withoutLast
            changed.insert(key)
        }
    }

    /// Clears the set of changed keys after they were written.
    mutating func wrote() { changed = [] }

    /// Deletes the counts of at most `limit` keys whose calls expired before a time.
    /// - Returns: the number of deleted keys.
    mutating func forget(until time: UnixMilliseconds, limit: Int) -> Int {
        let old = calls.filter { $0.value.until < time }.keys.sorted().prefix(limit)
        for key in old { calls[key] = nil }
        return old.count
    }

    private func times(_ key: Key) -> CallTimes { calls[key]?.times ?? CallTimes() }

    /// Moves call times in the future to the present. Such calls were counted before the clock was set back. Without this, a call could
    /// wait longer than one window.
    private mutating func bringBack(_ key: Key, rule: OutboundRateLimit, now: UnixMilliseconds) {
        guard let last = times(key).earliest(ofLast: 1), last > now else { return }
        calls[key] = Calls(times: times(key).noLater(than: now), until: now + rule.windowMilliseconds)
        changed.insert(key)
    }
}
