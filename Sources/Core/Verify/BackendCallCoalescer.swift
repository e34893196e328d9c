package import Time

/// Decides when an app's backend is called: a cached answer needs no call, equal requests share one, and an open breaker or the bound of
/// calls allows none.
///
/// A key is known if Deskgate has checked it, or if the backend allowed it before; any other key is new. Known and new keys have separate
/// shares of the calls. Only failures for known keys count for the breaker, and consecutive ones of a person once: a user whose own key
/// always fails must not keep the others out. Failures for new keys slow down further calls about new keys (`NewKeyRateLimit`).
///
/// Each call that `ask` starts must be ended by `finish` exactly once, because its waiters are stored here. A value; the caller locks. All
/// moments are of one clock.
package struct BackendCallCoalescer<Waiter: Sendable>: Sendable {
    package enum Finding: Sendable, Equatable {
        /// The answer that the backend gave before.
        case kept(BackendAnswer)
        case refused(UndecidedReason)

        package var answer: BackendAnswer {
            switch self {
            case .kept(let answer): answer
            case .refused(let reason): .undecided(reason)
            }
        }
    }

    package enum Step: Sendable, Equatable {
        case answer(Finding)
        /// Nothing: a call that is under way answers.
        case wait
        /// Call the backend, and pass this number to `finish` with its reply.
        case call(UInt64, isKnown: Bool)
    }

    package struct End {
        package let waiters: [Waiter]
        /// Whether `forget` has come since the call: its answer may be older than what made us forget.
        package let isForgotten: Bool
        /// The change that operators are notified about; nil for none.
        package let change: Change?
    }

    /// A change for other calls when a call ends.
    package enum Change: Sendable, Equatable {
        case opened
        case closed
        case limitedNewKeys
    }

    private struct Call {
        let identity: CheckIdentity
        /// Nil for a new key, which the breaker does not count.
        let start: Breaker.Start?
        var waiters: [Waiter]
    }

    private let lifetimes: AnswerLifetimes
    /// Whether Deskgate has checked each key that is asked about.
    private let keysAreChecked: Bool
    /// The maximum number of concurrent calls about known keys, and of those about new ones.
    private let callLimit: Int
    private var cache: AnswerCache
    private var breaker: Breaker
    /// The persons of the failures in a row; while the breaker is open, the person of the last one.
    private var failedPersons: Set<UInt128> = []
    private var lastFailure: BackendFailure?
    private var lastNewKeyFailure: BackendFailure?
    private var newKeys = NewKeyRateLimit()
    private var calls: [UInt64: Call] = [:]
    private var knownCalls = 0
    private var callOfIdentity: [CheckIdentity: UInt64] = [:]
    private var lastCall: UInt64 = 0

    /// Makes a ledger without calls.
    /// - Parameters:
    ///   - keysAreChecked: whether Deskgate has checked each key that is asked about; it then counts as known from the first question on.
    ///   - callLimit: how many calls about known keys may be under way, and as many about new ones.
    package init(
        lifetimes: AnswerLifetimes, keysAreChecked: Bool, callLimit: Int = 128, cache: AnswerCache = AnswerCache(),
        breaker: Breaker = .ofBackends
    ) {
        self.lifetimes = lifetimes
        self.keysAreChecked = keysAreChecked
        self.callLimit = callLimit
        self.cache = cache
        self.breaker = breaker
    }

    /// Whether the breaker allows only probes.
    package var isOpen: Bool { breaker.state != .closed }

    package func status(now: MonotonicMilliseconds) -> BackendStatus {
        BackendStatus(
            breaker: BreakerStatus(breaker), limitsNewKeys: newKeys.isShown(now: now), lastFailure: lastFailure,
            lastNewKeyFailure: lastNewKeyFailure)
    }

    /// The number of requests that wait for the answer of a call.
    package var waiting: Int { calls.values.reduce(0) { $0 + $1.waiters.count } }

    /// Returns the cached answer; nil when the caller has to `ask`.
    package mutating func find(_ identity: CheckIdentity, now: MonotonicMilliseconds) -> Finding? {
        if let answer = cache.answer(identity, now: now) { return .kept(answer) }
        if callOfIdentity[identity] != nil { return nil }
        if isKnown(identity) {
            if breaker.permits(now: Self.moment(now)) == 0 { return .refused(.backendBreakerOpen) }
            return knownCalls < callLimit ? nil : .refused(.backendOverloaded)
        }
        guard newKeys.permits(now: now) else { return .refused(.backendNewKeysLimited) }
        return calls.count - knownCalls < callLimit ? nil : .refused(.backendOverloaded)
    }

    private func isKnown(_ identity: CheckIdentity) -> Bool { keysAreChecked || cache.wasAllowed(identity) }

    package mutating func ask(_ identity: CheckIdentity, _ waiter: Waiter, now: MonotonicMilliseconds) -> Step {
        if let finding = find(identity, now: now) { return .answer(finding) }
        if let number = callOfIdentity[identity] {
            calls[number]?.waiters.append(waiter)
            return .wait
        }
        let isKnown = isKnown(identity)
        if isKnown { knownCalls += 1 } else { newKeys.started(now: now) }
        lastCall += 1
        calls[lastCall] = Call(identity: identity, start: isKnown ? breaker.started() : nil, waiters: [waiter])
        callOfIdentity[identity] = lastCall
        return .call(lastCall, isKnown: isKnown)
    }

    package mutating func finish(
        _ number: UInt64, _ reply: BackendReply, now: MonotonicMilliseconds, random: inout some RandomNumberGenerator
    ) -> End {
        guard let call = calls.removeValue(forKey: number) else { preconditionFailure("a call ends once") }
        var change: Change?
        let failure = reply.health == .unknown ? nil : reply.failure
        if let start = call.start {
            knownCalls -= 1
            let wasOpen = isOpen
            lastFailure = .last(lastFailure, then: failure, reply.health)
            end(start, of: call.identity.person, reply.health, now: now, random: &random)
            change = isOpen == wasOpen ? nil : isOpen ? .opened : .closed
        } else {
            lastNewKeyFailure = .last(lastNewKeyFailure, then: failure, reply.health)
            switch reply.health {
            case .works: newKeys.succeeded()
            case .fails: change = newKeys.failed(now: now) ? .limitedNewKeys : nil
            case .unknown: break
            }
        }
        let isForgotten = callOfIdentity[call.identity] != number
        if !isForgotten {
            callOfIdentity[call.identity] = nil
            cache.keep(reply.answer, of: call.identity, milliseconds: lifetimes.milliseconds(of: reply), now: now)
        }
        return End(waiters: call.waiters, isForgotten: isForgotten, change: change)
    }

    /// Tells the breaker how a call about a known key has ended.
    private mutating func end(
        _ start: Breaker.Start, of person: UInt128, _ health: BackendReply.Health, now: MonotonicMilliseconds,
        random: inout some RandomNumberGenerator
    ) {
        guard breaker.isCurrent(start) else { return }
        switch health {
        case .works:
            breaker.succeeded(start)
            failedPersons = []
        case .fails:
            // In a row each person counts once, with probes as well: after one that does not count, the next may start at once.
            guard failedPersons.insert(person).inserted else { return breaker.inconclusive(start) }
            breaker.failed(start, now: Self.moment(now), random: &random)
            if isOpen { failedPersons = [person] }
        case .unknown: breaker.inconclusive(start)
        }
    }

    /// Forgets the answers about a person, also those of calls under way: later requests start a new call.
    /// - Parameter person: as in `CheckIdentity`; nil for everybody, whose keys stay known.
    package mutating func forget(person: UInt128?) {
        cache.forget(person: person)
        callOfIdentity = person.map { person in callOfIdentity.filter { $0.key.person != person } } ?? [:]
    }

    /// The breaker only compares moments with each other, so those of a monotonic clock are sufficient.
    private static func moment(_ now: MonotonicMilliseconds) -> UnixMilliseconds { UnixMilliseconds(rawValue: now.rawValue) }
}

extension Breaker {
    /// For backends on whose answers people wait: it opens after five failures in a row, and is open for half a second to ten seconds.
    /// `Retry-After` is not read: an answer about one key says nothing about how long the others should wait.
    package static let ofBackends = Breaker(
        failuresToOpen: 5,
        openTime: RetryPolicy(
            baseMilliseconds: 1000, floorMilliseconds: 500, ceilingMilliseconds: 10_000, retryAfterCeilingMilliseconds: 10_000))
}
