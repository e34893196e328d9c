internal import Core
internal import Observability
internal import Threading
internal import Time

extension DispatcherWorker {
    func publishPause(_ lane: inout DeliveryLane, wasPaused: Bool, outcome: DeliveryOutcome, now: UnixMilliseconds) {
        guard lane.breaker.pauseReason != nil else { return publishEnd(&lane, wasPaused: wasPaused, now) }
        guard outcome.verdict == .misconfigured, show(lane, outcome.reason) else { return }
        logger.log(
            .error, message: "a notifier is paused; its deliveries wait",
            fields: [
                "notifier": .string(lane.name), "reason": .string(outcome.reason),
                "remedy": .string(lane.served.remedy(reason: outcome.reason)),
                "until": .string(lane.notifier.probeIntervalMilliseconds == nil ? "reload" : "reload or a try that succeeds"),
            ])
    }

    /// Applies the pauses of the processes that share the store; nil when no other process does.
    func adopt(_ pauses: [SharedPause]?, lane: inout DeliveryLane, now: UnixMilliseconds) {
        guard let pauses else { return }
        let wasPaused = lane.breaker.pauseReason != nil
        lane.adopt(pauses, now: now)
        guard lane.breaker.pauseReason != nil else { return publishEnd(&lane, wasPaused: wasPaused, now) }
        guard let reason = lane.pause?.reason, show(lane, reason) else { return }
        logger.log(
            .warning, message: "another process has paused a notifier; its deliveries wait",
            fields: ["notifier": .string(lane.name), "reason": .string(reason), "remedy": .string(lane.served.remedy(reason: reason))])
    }

    private func publishEnd(_ lane: inout DeliveryLane, wasPaused: Bool, _ now: UnixMilliseconds) {
        guard wasPaused else { return }
        let name = lane.name
        lane.nextDue = now
        inbox.withLock { $0.paused[name] = nil }
        logger.log(.info, message: "a notifier works again", fields: ["notifier": .string(name)])
    }

    /// - Returns: whether the pause differs from the published one.
    private func show(_ lane: DeliveryLane, _ reason: String) -> Bool {
        let (name, paused) = (lane.name, PausedNotifier(reason: reason, remedy: lane.served.remedy(reason: reason)))
        return inbox.withLock { inbox in
            defer { inbox.paused[name] = paused }
            return inbox.paused[name] != paused
        }
    }
}
