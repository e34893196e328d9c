internal import Core
internal import Time

/// Pauses that the processes with one store share.
extension DeliveryLane {
    /// Milliseconds by which other processes probe later than the one that shared a pause, because that one may be gone. Longer than most
    /// attempts take, after which it shares the next time.
    private static let graceMilliseconds: UInt64 = 30_000

    /// Whether the lane has an update for the processes that share the store, or must read theirs, although it starts nothing.
    var hasPauseUpdates: Bool { !isLeaving && (asks || !hasAsked || !pauseUpdates.isEmpty) }

    /// Has the next claim share the update, in place of earlier ones of this kind.
    mutating func tell(_ update: PauseUpdate) {
        pauseUpdates.removeAll { $0.kind == update.kind }
        pauseUpdates.append(update)
        if case .begins(let begun) = update, begun.kind == .misconfigured { pause = begun }
        if case .ends = update { pause = nil }
    }

    /// Ends a pause in all processes, because an operator has changed something.
    mutating func resume() {
        guard breaker.pauseReason != nil else { return }
        breaker.resume()
        tell(.ends)
    }

    /// Applies the pauses in force, after those of this process have been shared.
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
