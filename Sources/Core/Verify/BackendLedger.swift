package import Time

/// Decides when an app's backend is called: what is kept needs no call, who asks the same shares one, and while the backend is dead or has
/// enough calls nobody calls it.
///
/// Each call that `ask` orders must be ended by `finish` exactly once, because those who wait for its answer wait in here. It is a value, and
/// the caller locks; all moments are of one clock.
package struct BackendLedger<Waiter: Sendable>: Sendable {
    /// What is known without a call.
    package enum Finding: Sendable, Equatable {
        /// The answer that the backend gave before.
        case kept(BackendAnswer)
        /// It is not called.
        case refused(Indecision)

        /// What the caller is told.
        package var answer: BackendAnswer {
            switch self {
            case .kept(let answer): answer
            case .refused(let indecision): .undecided(indecision)
            }
        }
    }

    /// What to do with somebody who asks.
    package enum Step: Sendable, Equatable {
        /// Answer at once.
        case answer(Finding)
        /// Nothing: a call that is under way answers.
        case wait
        /// Call the backend, and tell `finish` this number with its reply.
        case call(UInt64)
    }

    /// What the end of a call means.
    package struct End {
        /// Those who wait for its answer.
        package let waiters: [Waiter]
        /// Whether `forget` has come since the call: its answer may be older than what made us forget.
        package let isForgotten: Bool
        /// True when the breaker has opened with it, false when it has closed, nil when neither.
        package let hasOpened: Bool?
    }

    private struct Call {
        let identity: CheckIdentity
        let start: Breaker.Start
        var waiters: [Waiter]
    }

    private let lifetimes: AnswerLifetimes
    /// How many calls may be under way.
    private let callLimit: Int
    private var cache: AnswerCache
    private var breaker: Breaker
    private var calls: [UInt64: Call] = [:]
    private var callOfIdentity: [CheckIdentity: UInt64] = [:]
    private var lastCall: UInt64 = 0

    /// Makes a ledger without calls.
    package init(lifetimes: AnswerLifetimes, callLimit: Int = 128, cache: AnswerCache = AnswerCache(), breaker: Breaker = .ofBackends) {
        self.lifetimes = lifetimes
        self.callLimit = callLimit
        self.cache = cache
        self.breaker = breaker
    }

    /// Whether the breaker lets nobody but probes through.
    package var isOpen: Bool { breaker.state != .closed }

    /// How the backend does, as its breaker has found.
    package var standing: BreakerStanding { BreakerStanding(breaker) }

    /// How many wait for the answer to a call that is under way.
    package var waiting: Int { calls.values.reduce(0) { $0 + $1.waiters.count } }

    /// What is known without a call; nil when somebody has to `ask`.
    package mutating func find(_ identity: CheckIdentity, now: MonotonicMilliseconds) -> Finding? {
        if let answer = cache.answer(identity, now: now) { return .kept(answer) }
        if callOfIdentity[identity] != nil { return nil }
        if breaker.permits(now: Self.moment(now)) == 0 { return .refused(.backendBreakerOpen) }
        return calls.count < callLimit ? nil : .refused(.backendOverloaded)
    }

    /// Takes somebody who wants to know.
    package mutating func ask(_ identity: CheckIdentity, _ waiter: Waiter, now: MonotonicMilliseconds) -> Step {
        if let finding = find(identity, now: now) { return .answer(finding) }
        if let number = callOfIdentity[identity] {
            calls[number]?.waiters.append(waiter)
            return .wait
        }
        lastCall += 1
        calls[lastCall] = Call(identity: identity, start: breaker.started(), waiters: [waiter])
        callOfIdentity[identity] = lastCall
        return .call(lastCall)
    }

    /// Ends a call.
    package mutating func finish(
        _ number: UInt64, _ reply: BackendReply, now: MonotonicMilliseconds, random: inout some RandomNumberGenerator
    ) -> End {
        guard let call = calls.removeValue(forKey: number) else { preconditionFailure("a call ends once") }
        let wasOpen = isOpen
        switch reply.health {
        case .works: breaker.succeeded(call.start)
        case .fails: breaker.failed(call.start, now: Self.moment(now), random: &random)
        case .unknown: breaker.inconclusive(call.start)
        }
        let isForgotten = callOfIdentity[call.identity] != number
        if !isForgotten {
            callOfIdentity[call.identity] = nil
            cache.keep(reply.answer, of: call.identity, milliseconds: lifetimes.milliseconds(of: reply), now: now)
        }
        return End(waiters: call.waiters, isForgotten: isForgotten, hasOpened: isOpen == wasOpen ? nil : isOpen)
    }

    /// Forgets the answers about a person, also those that calls under way will bring: whoever asks from now on has a new call.
    /// - Parameter person: as in `CheckIdentity`; nil for everybody.
    package mutating func forget(person: UInt128?) {
        cache.forget(person: person)
        callOfIdentity = person.map { person in callOfIdentity.filter { $0.key.person != person } } ?? [:]
    }

    /// The breaker only compares moments with each other, so those of a clock that nobody sets will do.
    private static func moment(_ now: MonotonicMilliseconds) -> UnixMilliseconds { UnixMilliseconds(rawValue: now.rawValue) }
}

extension Breaker {
    /// For backends on whose answers people wait: it opens after five failures in a row, and is open for half a second to ten seconds.
    package static let ofBackends = Breaker(
        failuresToOpen: 5,
        openTime: RetryPolicy(
            baseMilliseconds: 1000, floorMilliseconds: 500, ceilingMilliseconds: 10_000, retryAfterCeilingMilliseconds: 10_000))
}
