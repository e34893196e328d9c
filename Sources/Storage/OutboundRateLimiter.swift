internal import Core
internal import Time

/// The calls that pace rules count, as far as a store has read them: it decides here and writes what has changed.
struct OutboundRateLimiter {
    struct Key: Hashable, Comparable {
        let notifier: ByteKey
        /// A digest of the scope, the app and the person or device, so that a store keeps no names. If two share a number, they share a
        /// count.
        let number: Int64

        static func < (left: Self, right: Self) -> Bool { (left.notifier, left.number) < (right.notifier, right.number) }

        fileprivate init(_ notifier: String, rule: OutboundRateLimit, device: Device.Key) {
            self.notifier = ByteKey(notifier)
            number = shortDigest(of: rule.scope.rawValue, device.appID, rule.scope == .person ? device.userID : device.deviceID)
        }
    }

    /// The calls that are counted under one key.
    struct Calls {
        var times: CallTimes
        /// The time when they stop counting.
        var until: UnixMilliseconds
    }

    /// The counts that were read, with their changes.
    private(set) var calls: [Key: Calls] = [:]
    private(set) var changed: Set<Key> = []

    /// The keys under which a call is counted.
    static func keys(of call: RateLimitedCall, notifier: String) -> [Key] {
        call.rules.map { Key(notifier, rule: $0, device: call.device) }
    }

    /// Takes what a store has kept under a key; empty when it has nothing.
    mutating func take(_ times: CallTimes, until: UnixMilliseconds = 0, for key: Key) { calls[key] = Calls(times: times, until: until) }

    /// Decides on a call, whose keys must have been read, and counts it when it may be made now.
    /// - Returns: nil when it may be made now; otherwise when it may be.
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

    /// Uncounts the last call, because it never reached its receiver. Its keys must have been read.
    mutating func giveBack(_ call: RateLimitedCall, notifier: String) {
        for key in Self.keys(of: call, notifier: notifier) {
            let counted = times(key)
            guard !counted.bytes.isEmpty else { continue }
            calls[key]?.times = counted.withoutLast
            changed.insert(key)
        }
    }

    /// Forgets which calls have changed, because they were written.
    mutating func wrote() { changed = [] }

    /// Forgets calls that do not count at a time any more, at most `limit` keys.
    /// - Returns: how many keys.
    mutating func forget(until time: UnixMilliseconds, limit: Int) -> Int {
        let old = calls.filter { $0.value.until < time }.keys.sorted().prefix(limit)
        for key in old { calls[key] = nil }
        return old.count
    }

    private func times(_ key: Key) -> CallTimes { calls[key]?.times ?? CallTimes() }

    /// Calls in the future were counted before the clock was set back. They count as made now, so that no call waits longer than one
    /// window.
    private mutating func bringBack(_ key: Key, rule: OutboundRateLimit, now: UnixMilliseconds) {
        guard let last = times(key).earliest(ofLast: 1), last > now else { return }
        calls[key] = Calls(times: times(key).noLater(than: now), until: now + rule.windowMilliseconds)
        changed.insert(key)
    }
}
