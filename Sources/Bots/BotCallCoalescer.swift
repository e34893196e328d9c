internal import Core
internal import HelpDesk
internal import Threading
internal import Time

/// The calls in progress at one bot's backend, the rate limits of its functions, and the answers to changes. This type is not synchronized:
/// the caller must hold a lock.
///
/// A change is performed once per key: a repeated call waits for the answer in progress, or receives the stored answer.
struct BotCallCoalescer<Waiter: Sendable>: Sendable {
    enum Admission {
        /// The caller must perform the call, and call `finish` when it has ended.
        case perform
        /// The same call is in progress; `finish` returns the waiter.
        case wait
        case repeated(CallReply)
        case limited(LimitRefusal)
        case busy
    }

    private enum Change {
        case underWay([Waiter])
        case answered(CallReply)
    }

    private struct Windows {
        let rules: [LimitRule]
        var windows: CallWindows
    }

    private let bounds: CallBounds
    private var underWay: FairQueue<Void>
    private var windows: [String: Windows] = [:]
    private var changes: [[UInt8]: Change] = [:]
    /// The keys of stored answers with their expiry, in the order of the answers.
    private var answered: [(key: [UInt8], person: CallWindows.Person, expiresAt: UnixSeconds)] = []
    private var oldest = 0
    private var answeredBytes = 0

    init(_ bounds: CallBounds = CallBounds()) {
        self.bounds = bounds
        underWay = FairQueue([bounds.underWay, bounds.underWayOfApp, bounds.underWayOfPerson].map { ShareBound($0) })
    }

    /// Replaces the functions and their limits. The counts of functions with unchanged limits are kept.
    mutating func use(_ functions: [(name: String, limits: [LimitRule])]) {
        let former = windows
        windows = [:]
        for (name, limits) in functions where !limits.isEmpty {
            let kept = former[name].flatMap { $0.rules == limits ? $0 : nil }
            windows[name] = kept ?? Windows(rules: limits, windows: CallWindows(limits, personLimit: bounds.people))
        }
    }

    /// Returns the limit that currently rejects a call; nil when the call is allowed. Does not count the call.
    func refusal(of function: String, _ person: CallWindows.Person, now: UnixMilliseconds) -> LimitRefusal? {
        windows[function]?.windows.refusal(of: person, now: now)
    }

    var isFull: Bool { !underWay.hasRoom() }

    /// Whether a user, or the user's app, has the maximum number of calls in progress.
    func isFull(for person: CallWindows.Person) -> Bool { !underWay.hasRoom(for: person.share) }

    var waiting: Int {
        changes.values.reduce(0) { count, change in
            if case .underWay(let waiters) = change { count + waiters.count } else { count }
        }
    }

    /// Whether the answer to a change is stored, so that `admit` would return it.
    func hasAnswer(to key: [UInt8]) -> Bool { if case .answered? = changes[key] { true } else { false } }

    /// Decides on a call, and counts it if it is performed.
    /// - Parameters:
    ///   - key: the deduplication key of a change; nil for a call that changes nothing.
    ///   - waiter: stored if the result is `wait`; the caller of `finish` notifies it.
    mutating func admit(
        _ function: String, person: CallWindows.Person, key: [UInt8]?, waiter: Waiter, now: UnixMilliseconds
    ) -> Admission {
        if let key {
            switch changes[key] {
            case .underWay(let waiters):
                changes[key] = .underWay(waiters + [waiter])
                return .wait
            case .answered(let reply): return .repeated(reply)
            case nil: break
            }
        }
        guard underWay.begin(person.share) else { return .busy }
        if let refusal = windows[function]?.windows.take(person, now: now) {
            underWay.finish(person.share)
            return .limited(refusal)
        }
        if let key { changes[key] = .underWay([]) }
        return .perform
    }

    /// Ends a call that was performed.
    /// - Parameters:
    ///   - key: the value that was passed to `admit`; the same applies to the user.
    ///   - expiresAt: the last second in which the stored answer is returned to repeated calls; nil to store no answer.
    /// - Returns: the waiters.
    mutating func finish(
        _ key: [UInt8]?, person: CallWindows.Person, reply: CallReply, keepingUntil expiresAt: UnixSeconds?, now: UnixSeconds
    ) -> [Waiter] {
        underWay.finish(person.share)
        forgetOldest(now: now)
        guard let key, case .underWay(let waiters) = changes[key] else { return [] }
        guard let expiresAt, now <= expiresAt, reply.byteCount <= bounds.answeredBytes else {
            changes[key] = nil
            return waiters
        }
        changes[key] = .answered(reply)
        answered.append((key, person, expiresAt))
        answeredBytes += reply.byteCount
        forgetOldest(now: now)
        return waiters
    }

    /// Evicts the stored answers to a user's calls; nil for all users.
    mutating func forgetAnswers(to person: CallWindows.Person?) {
        var kept: [(key: [UInt8], person: CallWindows.Person, expiresAt: UnixSeconds)] = []
        for entry in answered[oldest...] {
            if let person, entry.person != person { kept.append(entry) } else { forget(entry.key) }
        }
        (answered, oldest) = (kept, 0)
    }

    /// Evicts expired answers, and the oldest answers beyond the limits.
    private mutating func forgetOldest(now: UnixSeconds) {
        while oldest < answered.count,
            answered[oldest].expiresAt < now || answered.count - oldest > bounds.answers || answeredBytes > bounds.answeredBytes
        {
            forget(answered[oldest].key)
            oldest += 1
        }
        if oldest > bounds.answers {
            answered.removeFirst(oldest)
            oldest = 0
        }
    }

    private mutating func forget(_ key: [UInt8]) {
        if case .answered(let reply) = changes.removeValue(forKey: key) { answeredBytes -= reply.byteCount }
    }
}

struct CallBounds: Sendable {
    var underWay = 512
    var underWayOfApp = 256
    var underWayOfPerson = 16
    /// The maximum number of users that are counted per function. Beyond it, the least recent caller is evicted.
    var people = 10_000
    var answers = 10_000
    var answeredBytes = 16 << 20
}
