internal import Core
internal import HelpDesk
internal import Threading
internal import Time

/// The calls under way at one bot's backend, the number of calls of each person, and the answers to changes. A value; the caller locks.
///
/// A change is performed once for each key. A repetition waits for the answer of the first call, or gets the stored answer.
struct BotCallCoalescer<Waiter: Sendable>: Sendable {
    enum Admission {
        /// It is: `finish` must be called when it has ended.
        case perform
        /// It is under way; the waiter receives its answer.
        case wait
        /// It was performed before.
        case repeated(CallReply)
        case limited(LimitRefusal)
        /// Too many calls are under way.
        case busy
    }

    /// A change: under way, or answered.
    private enum Change {
        case underWay([Waiter])
        case answered(CallReply)
    }

    /// The limits of one function, and who has called it.
    private struct Windows {
        let rules: [LimitRule]
        var windows: CallWindows
    }

    private let bounds: CallBounds
    private var underWay: FairQueue<Void>
    private var windows: [String: Windows] = [:]
    private var changes: [[UInt8]: Change] = [:]
    /// The keys of answered changes, in the order of the answers, with the expiry of each answer.
    private var answered: [(key: [UInt8], person: CallWindows.Person, expiresAt: UnixSeconds)] = []
    private var oldest = 0
    private var answeredBytes = 0

    init(_ bounds: CallBounds = CallBounds()) {
        self.bounds = bounds
        underWay = FairQueue([bounds.underWay, bounds.underWayOfApp, bounds.underWayOfPerson].map { ShareBound($0) })
    }

    /// Takes over the limits of a configuration. Calls that were counted stay so where a function's limits have not changed.
    mutating func use(_ functions: [(name: String, limits: [LimitRule])]) {
        let former = windows
        windows = [:]
        for (name, limits) in functions where !limits.isEmpty {
            let kept = former[name].flatMap { $0.rules == limits ? $0 : nil }
            windows[name] = kept ?? Windows(rules: limits, windows: CallWindows(limits, personLimit: bounds.people))
        }
    }

    /// The limit that refuses a call now; nil when none does. Counts nothing.
    func refusal(of function: String, _ person: CallWindows.Person, now: UnixMilliseconds) -> LimitRefusal? {
        windows[function]?.windows.refusal(of: person, now: now)
    }

    /// Whether as many calls are under way as may be.
    var isFull: Bool { !underWay.hasRoom() }

    /// Whether a person, or the person's app, has as many calls under way as may be.
    func isFull(for person: CallWindows.Person) -> Bool { !underWay.hasRoom(for: person.share) }

    /// The number of callers that wait for the answer to a change that another one began.
    var waiting: Int {
        changes.values.reduce(0) { count, change in
            if case .underWay(let waiters) = change { count + waiters.count } else { count }
        }
    }

    /// Whether the answer to a change is kept, which `admit` would repeat.
    func hasAnswer(to key: [UInt8]) -> Bool { if case .answered? = changes[key] { true } else { false } }

    /// Decides on a call, and counts it if it is performed.
    /// - Parameters:
    ///   - key: identifies repetitions of a change; nil for a call that changes nothing.
    ///   - waiter: called by the caller of `finish`, if the answer is `wait`.
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
    ///   - key: as of `admit`, as is the person.
    ///   - expiresAt: the last second in which the answer is kept for repetitions; nil keeps none.
    /// - Returns: who waits for the answer.
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

    /// Forgets the answers to a person's calls; nil for everybody's.
    mutating func forgetAnswers(to person: CallWindows.Person?) {
        var kept: [(key: [UInt8], person: CallWindows.Person, expiresAt: UnixSeconds)] = []
        for entry in answered[oldest...] {
            if let person, entry.person != person { kept.append(entry) } else { forget(entry.key) }
        }
        (answered, oldest) = (kept, 0)
    }

    /// Forgets the answers whose time is over, and the oldest beyond the bounds.
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
    /// The maximum number of calls under way at its backend.
    var underWay = 512
    /// The maximum number of them for one app.
    var underWayOfApp = 256
    var underWayOfPerson = 16
    /// The maximum number of people whose calls of a function are counted. The one whose last call is the oldest leaves first.
    var people = 10_000
    /// The maximum number of cached answers to changes.
    var answers = 10_000
    /// The maximum size of cached answers in bytes.
    var answeredBytes = 16 << 20
}
