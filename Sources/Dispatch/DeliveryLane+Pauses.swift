internal import Core
internal import Time

extension DeliveryLane {
    /// Milliseconds after the announced probe at which other processes probe themselves, because the announcing process may be gone. Longer
    /// than most attempts, after which that process announces the next time.
    private static let graceMilliseconds: UInt64 = 30_000

    /// Whether the lane must claim without starting attempts, to exchange pauses with the processes that share the store.
    var hasPauseUpdates: Bool { !isLeaving && (asks || !hasAsked || !pauseUpdates.isEmpty) }

    /// Queues an update for the next claim, replacing an earlier one of this kind.
    mutating func tell(_ update: PauseUpdate) {
        pauseUpdates.removeAll { $0.kind == update.kind }
        pauseUpdates.append(update)
        if case .begins(let begun) = update, begun.kind == .misconfigured { pause = begun }
        if case .ends = update { pause = nil }
    }

    /// Ends a pause in all processes after an operator's change.
    mutating func resume() {
        guard breaker.pauseReason != nil else { return }
        breaker.resume()
        tell(.ends)
    }

    /// Adopts the shared pauses in force, after this process's updates were sent.
    mutating func adopt(_ pauses: [SharedPause], now: UnixMilliseconds) {
        defer { hasAsked = true }
        if let slow = pauses.first(where: { $0.kind == .slowDown }), !slow.isOwn, slow != slowedBy {
            slowedBy = slow
            if now < slow.until {
                lastFailure = slow.reason
                breaker.slowDown(until: slow.until, now: now)
            }
        }
        guard let next = pauses.first(where: { $0.kind == .misconfigured }) else {
            pause = nil
            if breaker.pauseReason != nil { successes += 1 }
            return breaker.resume()
        }
        if next.isOwn {
            // It was reported before the notifier was removed from the configuration and added again.
            if breaker.pauseReason == nil { tell(.ends) }
        } else if next.until == .max, !hasAsked {
            // It holds until a reload, and this process has started since.
            tell(.ends)
        } else if next != pause {
            (pause, lastFailure) = (next, next.reason)
            stop(until: next.until, now: now)
        }
    }

    private mutating func stop(until: UnixMilliseconds, now: UnixMilliseconds) {
        isProven = false
        guard until != .max else { return breaker.pause(.switchedOff) }
        breaker.pause(.misconfigured, probeIntervalMilliseconds: now.remaining(until: until) + Self.graceMilliseconds, now: now)
    }
}
