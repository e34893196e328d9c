package import Time

/// Decides when an app's backend is called: a cached answer needs no call, equal requests share one call, and calls stop while the breaker
/// is open or too many are in progress.
///
/// A key is known if Deskgate has verified it or the backend has allowed it before; any other key is new. Known and new keys have separate
/// limits of concurrent calls. The breaker counts only failures for known keys, and each user only once in consecutive failures, so that a
/// user whose own key always fails cannot lock out other users. Failures for new keys slow down further calls for new keys
/// (`NewKeyRateLimit`).
///
/// Each call that `ask` orders must be ended with `finish` exactly once, because waiters are stored here. This type is a value and is not
/// synchronized: the caller must hold a lock. All moments must come from the same clock.
package struct BackendCallCoalescer<Waiter: Sendable>: Sendable {
    /// A result without a call.
    package enum Finding: Sendable, Equatable {
        /// A cached answer.
        case kept(BackendAnswer)
        /// The backend must not be called now, for this reason.
        case refused(UndecidedReason)

        package var answer: BackendAnswer {
            switch self {
            case .kept(let answer): answer
            case .refused(let reason): .undecided(reason)
            }
        }
    }

    /// The next step for a request.
    package enum Step: Sendable, Equatable {
        case answer(Finding)
        /// A call in progress will provide the answer.
        case wait
        /// The caller must call the backend, and pass this number and the reply to `finish`.
        case call(UInt64, isKnown: Bool)
    }

    package struct End {
        /// The waiters for the call's answer.
        package let waiters: [Waiter]
        /// Whether `forget` was called after the call had begun, so that its answer may be outdated.
        package let isForgotten: Bool
        /// The change to report to operators.
        package let change: Change?
    }

    package enum Change: Sendable, Equatable {
        case opened
        case closed
        /// Calls for new keys are now rate-limited.
        case limitedNewKeys
    }

    private struct Call {
        let identity: CheckIdentity
        /// The breaker's start; nil for a new key, which the breaker ignores.
        let start: Breaker.Start?
        var waiters: [Waiter]
    }

    private let lifetimes: AnswerLifetimes
    /// Whether Deskgate has verified the key of each request.
    private let keysAreChecked: Bool
    /// The maximum number of concurrent calls for known keys, and separately for new keys.
    private let callLimit: Int
    private var cache: AnswerCache
    private var breaker: Breaker
    /// The users of consecutive failures; while the breaker is open, the user of the last one.
    private var failedPersons: Set<UInt128> = []
    private var lastFailure: BackendFailure?
    private var lastNewKeyFailure: BackendFailure?
    private var newKeys = NewKeyRateLimit()
    private var calls: [UInt64: Call] = [:]
    private var knownCalls = 0
    private var callOfIdentity: [CheckIdentity: UInt64] = [:]
    private var lastCall: UInt64 = 0

    /// - Parameters:
    ///   - keysAreChecked: whether Deskgate has verified the key of each request; all keys are then known.
    ///   - callLimit: the maximum number of concurrent calls for known keys, and separately for new keys.
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

    package var waiting: Int { calls.values.reduce(0) { $0 + $1.waiters.count } }

    /// Returns a result without a call; nil when the caller must `ask`.
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
        guard let call = calls.removeValue(forKey: number) else { preconditionFailure("a call must be ended exactly once") }
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

    /// Reports the end of a call for a known key to the breaker.
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
            // Each user is counted once in consecutive failures, including probes. After a failure that is not counted, the next probe may
            // start immediately.
            guard failedPersons.insert(person).inserted else { return breaker.inconclusive(start) }
            breaker.failed(start, now: Self.moment(now), random: &random)
            if isOpen { failedPersons = [person] }
        case .unknown: breaker.inconclusive(start)
        }
    }

    /// Removes the answers about a user, including those of calls in progress: later requests cause a new call.
    /// - Parameter person: the same digest as in `CheckIdentity`; nil for all users, whose keys stay known.
    package mutating func forget(person: UInt128?) {
        cache.forget(person: person)
        callOfIdentity = person.map { person in callOfIdentity.filter { $0.key.person != person } } ?? [:]
    }

    /// Converts the type of a moment. The breaker only compares moments, so a monotonic clock is sufficient.
    private static func moment(_ now: MonotonicMilliseconds) -> UnixMilliseconds { UnixMilliseconds(rawValue: now.rawValue) }
}

extension Breaker {
    /// The breaker for backends, whose answers users wait for: opens after five consecutive failures, for half a second to ten seconds.
    /// Ignores `Retry-After`, because an answer about one key does not apply to other keys.
    package static let ofBackends = Breaker(
        failuresToOpen: 5,
        openTime: RetryPolicy(
            baseMilliseconds: 1000, floorMilliseconds: 500, ceilingMilliseconds: 10_000, retryAfterCeilingMilliseconds: 10_000))
}
