internal import Core
internal import Time

extension DeliveryLane {
    /// Downgrades `misconfigured` to a retry if other deliveries have succeeded since and this one was refused for the same reason before,
    /// for example because its token belongs to another account. Otherwise one bad token would pause the notifier again and again.
    func isolated(_ outcome: DeliveryOutcome, of ended: Running) -> DeliveryOutcome {
        guard outcome.verdict == .misconfigured, isProven, ended.served === served, ended.delivery.reason == outcome.reason else {
            return outcome
        }
        return DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: outcome.reason, isAboutDevice: true)
    }

    /// Applies an outcome to the notifier's health, and announces pauses to the other processes.
    mutating func updateBreaker(
        _ start: Breaker.Start, _ outcome: DeliveryOutcome, now: UnixMilliseconds, random: inout some RandomNumberGenerator
    ) {
        let wasPaused = breaker.pauseReason != nil
        let isProbe = wasPaused && breaker.isCurrent(start)
        defer { if wasPaused, breaker.pauseReason == nil { tell(.ends) } }
        switch outcome.verdict {
        case .misconfigured:
            (isProven, lastFailure) = (false, outcome.reason)
            breaker.inconclusive(start)
            let probeAfter = notifier.probeIntervalMilliseconds
            breaker.pause(probeAfter == nil ? .switchedOff : .misconfigured, probeIntervalMilliseconds: probeAfter, now: now)
            let until = probeAfter.map { now + $0 } ?? .max
            tell(.begins(SharedPause(.misconfigured, reason: outcome.reason, until: until)))
        // Nothing was sent, so the breaker learns nothing; the next delivery becomes the probe.
        case _ where !outcome.calledReceiver: breaker.inconclusive(start)
        case .delivered:
            settingsProblem = nil
            let isCurrent = breaker.isCurrent(start)
            breaker.succeeded(start)
            // A success that began before the pause does not prove the settings right.
            if isCurrent, breaker.pauseReason == nil { isProven = true }
            noteSuccess(wasCurrent: isCurrent)
        case .dead, .deviceGone: succeed(start)
        case .retry(let retryAfter):
            if outcome.settingsFault == .possible { settingsProblem = outcome.reason }
            guard !outcome.isAboutDevice else { return succeed(start) }
            lastFailure = outcome.reason
            if outcome.requestsBackoff {
                let until = now + max(retryAfter ?? 1000, 1000)
                breaker.slowDown(until: until, now: now)
                tell(.begins(SharedPause(.slowDown, reason: outcome.reason, until: until)))
            }
            if outcome.isThrottled {
                breaker.inconclusive(start)
            } else {
                breaker.failed(start, now: now, random: &random)
                // The next probe is later than the others know.
                if isProbe, let pause, let next = breaker.nextChange {
                    tell(.begins(SharedPause(.misconfigured, reason: pause.reason, until: next)))
                }
            }
        }
    }

    /// Ends an attempt whose receiver has responded, though it did not accept this delivery.
    private mutating func succeed(_ start: Breaker.Start) {
        let isCurrent = breaker.isCurrent(start)
        breaker.succeeded(start)
        noteSuccess(wasCurrent: isCurrent)
    }

    /// A response to an attempt that began before a pause proves nothing.
    private mutating func noteSuccess(wasCurrent: Bool) {
        if wasCurrent, breaker.pauseReason == nil { successes += 1 }
    }
}
