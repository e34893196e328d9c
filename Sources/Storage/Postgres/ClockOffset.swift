internal import Core
internal import Time

/// The database's clock as a heartbeat has found it.
///
/// It is kept beside a clock that nobody sets: when this machine's clock is set, also while a heartbeat is under way, the offset is right at
/// once, and not with the next heartbeat only.
struct DatabaseClock {
    private let clock: @Sendable () -> UnixMilliseconds
    /// By how much it is ahead of the milliseconds since this machine started.
    private let aheadOfStart: Int64
    /// By how much this machine's clock was ahead of them then.
    private let ownAheadOfStart: Int64

    /// - Parameters:
    ///   - moment: what it showed.
    ///   - sinceBoot: for how many milliseconds this machine had run then (`SystemClock.bootMilliseconds`).
    ///   - clock: reads this machine's clock.
    init(showing moment: UnixMilliseconds, at sinceBoot: UInt64, beside clock: @escaping @Sendable () -> UnixMilliseconds) {
        self.clock = clock
        aheadOfStart = moment.offset(from: UnixMilliseconds(rawValue: sinceBoot))
        ownAheadOfStart = Self.aheadOfStart(clock())
    }

    /// By how much it is ahead of this machine's clock now, in milliseconds.
    var aheadMilliseconds: Int64 { aheadOfStart - Self.aheadOfStart(clock()) }

    /// How far this machine's clock is off for a moment that it has just shown.
    ///
    /// Somebody may have read it right before it was set: then the moment is nearer to what it would show now if nobody had set it.
    func offset(for moment: UnixMilliseconds) -> ClockOffset {
        let present = clock()
        let ahead = Self.aheadOfStart(present)
        let unset = present.advanced(by: ownAheadOfStart - ahead)
        let wasReadBefore = moment.offset(from: unset).magnitude < moment.offset(from: present).magnitude
        return ClockOffset(measured: aheadOfStart - (wasReadBefore ? ownAheadOfStart : ahead))
    }

    private static func aheadOfStart(_ moment: UnixMilliseconds) -> Int64 {
        moment.offset(from: UnixMilliseconds(rawValue: SystemClock.bootMilliseconds()))
    }
}

/// By how much the database's clock is ahead of this process's, in milliseconds; negative when it is behind.
///
/// Everything is stored by the database's clock, so that processes whose clocks differ agree on what is due, how old something is and how
/// often somebody has called. Moments are changed on their way in and out.
struct ClockOffset: Equatable {
    /// Clocks that differ by less count as the same: a millisecond of the network is no reason to store other times than were told.
    private static let toleranceMilliseconds: UInt64 = TimeLimit.milliseconds(1000)

    private let milliseconds: Int64

    /// - Parameter measured: in milliseconds.
    init(measured: Int64) { milliseconds = measured.magnitude < Self.toleranceMilliseconds ? 0 : measured }

    /// A moment of this process by the database's clock.
    func stored(_ moment: UnixMilliseconds) -> UnixMilliseconds {
        // "Never" is the same by every clock.
        moment == .max ? .max : moment.advanced(by: milliseconds)
    }

    /// A moment of the database by this process's clock.
    func told(_ moment: UnixMilliseconds) -> UnixMilliseconds { moment.advanced(by: -milliseconds) }

    func stored(_ arrival: Arrival) -> Arrival {
        guard milliseconds != 0 else { return arrival }
        let event = arrival.event
        return Arrival(
            Event(
                id: event.id, kind: event.kind, identity: event.identity, userID: event.userID, deviceType: event.deviceType,
                occurredAt: event.occurredAt, receivedAt: stored(event.receivedAt), expiresAt: stored(event.expiresAt), data: event.data,
                trace: event.trace),
            to: arrival.subscriptions, token: arrival.token, isErased: arrival.isErased)
    }

    func stored(_ registration: Registration) -> Registration {
        guard milliseconds != 0 else { return registration }
        return Registration(
            key: registration.key, type: registration.type, token: registration.token, now: stored(registration.now),
            rules: registration.rules)
    }

    func stored(_ claim: Claim) -> Claim {
        guard milliseconds != 0 else { return claim }
        return Claim(
            notifier: claim.notifier, now: stored(claim.now), leaseMilliseconds: claim.leaseMilliseconds, limit: claim.limit,
            longestDelayMilliseconds: claim.latestDue == .max ? .max : claim.now.remaining(until: claim.latestDue),
            heldMilliseconds: claim.now.elapsed(since: claim.expiredBy), pace: claim.pace,
            pauseNews: claim.pauseNews.map { news in
                guard case .begins(let pause) = news else { return news }
                return .begins(pause.until(stored(pause.until)))
            })
    }

    func stored(_ result: FinishedAttempt) -> FinishedAttempt {
        guard milliseconds != 0 else { return result }
        var next = result.next
        if case .retry(let time) = next { next = .retry(at: stored(time)) }
        return FinishedAttempt(
            id: result.id, attempt: result.attempt, next: next, reason: result.reason, now: stored(result.now), device: result.device,
            news: result.news, uncalled: result.uncalled)
    }

    func told(_ outcome: Registration.Outcome) -> Registration.Outcome {
        guard case .limited(let rule, let until) = outcome else { return outcome }
        return .limited(rule: rule, until: told(until))
    }

    func told(_ claimed: Claimed) -> Claimed {
        guard milliseconds != 0 else { return claimed }
        return Claimed(
            claimed.deliveries.map { $0.expiring(at: told($0.event.expiresAt)) }, expired: claimed.expired,
            withoutTarget: claimed.withoutTarget, putOff: claimed.putOff, nextDue: claimed.nextDue.map { told($0) },
            pauses: claimed.pauses?.map { $0.until($0.until == .max ? .max : told($0.until)) })
    }
}

extension SharedPause {
    fileprivate func until(_ until: UnixMilliseconds) -> SharedPause { SharedPause(kind, reason: reason, until: until, isOwn: isOwn) }
}
