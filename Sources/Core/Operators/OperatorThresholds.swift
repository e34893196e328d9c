package import Time

/// Thresholds for notifying operators. The defaults are those of the alert rules in `deploy/prometheus`.
package struct OperatorThresholds: Sendable, Equatable {
    /// The minimum time for which a notifier has started no attempts.
    package var pausedSeconds = 60
    /// The age of the oldest pending delivery.
    package var queueLateSeconds = 900
    /// Days before the expiry of a credential.
    package var expiresDays = RenewalTime.dueDays
    /// The minimum free space on a disk, in units of 1,000,000 bytes; 0 for none.
    package var diskFreeMegabytes = 1000
    /// Denied authorizations of an app within `DenialTrend.windowMilliseconds`.
    package var denials = 20

    package init() {}
}

/// The time before an expiry at which something, such as a certificate, must be renewed; `ExpiringCredential` applies it.
///
/// A credential is listed long before operators are notified. A list that operators read anyway may be early, because a renewal at Apple or
/// at a company's certificate authority takes people and weeks. A log line or an event means that an operator should act now.
package enum RenewalTime {
    /// Days before the expiry from which `GET /v1/status` and the page list it.
    package static let shownDays = 30
    /// Days before the expiry from which it is due: `check` and the log warn, and operators are notified unless the configuration says
    /// otherwise.
    package static let dueDays = 14
}

/// Decides whether deliveries wait too long for a notifier.
package enum QueueRule {
    /// This many deliveries may wait long because of their own devices or receivers, as the backoff of each one grows.
    package static let fewDeliveries = 10

    /// - Parameters:
    ///   - notifier: the name. For held messages (`HeldMessage`) no count is tolerated, because only the help desk delays them.
    ///   - count: pending deliveries.
    ///   - ageMilliseconds: the age of the oldest.
    ///   - lifetimeMilliseconds: the lifetime of an event. Beyond half of it even one delivery is late.
    package static func status(
        of notifier: String, count: Int, ageMilliseconds: UInt64, lifetimeMilliseconds: UInt64, _ thresholds: OperatorThresholds
    ) -> ConditionStatus {
        let late = UInt64(thresholds.queueLateSeconds) * 1000
        let few = notifier == HeldMessage.notifier ? 0 : fewDeliveries
        if ageMilliseconds > late, count > few || ageMilliseconds > lifetimeMilliseconds / 2 { return .holds }
        // The hysteresis prevents repeated reports of a queue near the threshold.
        return count == 0 || ageMilliseconds < late / 2 ? .over(.resolved) : .unknown
    }
}

/// Decides when a reported problem has ended.
package enum ProblemRule {
    /// Limits an unstable problem to ten reports an hour, like a notifier (`NotifierPauseReporter`).
    /// - Parameter unseenMilliseconds: the time since the problem was last seen.
    package static func status(unseenMilliseconds: UInt64, _ thresholds: OperatorThresholds) -> ConditionStatus {
        let calm = UInt64(thresholds.pausedSeconds) * 1000 * NotifierPauseReporter.recoveryFactor
        return unseenMilliseconds >= calm ? .over(.resolved) : .unknown
    }
}

/// Decides whether a disk has little free space.
package enum DiskRule {
    /// - Parameter freeBytes: the bytes that an unprivileged user can still write.
    package static func status(freeBytes: UInt64, _ thresholds: OperatorThresholds) -> ConditionStatus {
        let bound = UInt64(thresholds.diskFreeMegabytes) * 1_000_000
        if freeBytes < bound { return .holds }
        // A quarter more, so that a disk near the threshold is reported once.
        return freeBytes >= end(thresholds) ? .over(.resolved) : .unknown
    }

    /// Whether the disk is reported as low.
    /// - Parameter wasLow: the result of the last reading; false if there was none.
    package static func isLow(freeBytes: UInt64, wasLow: Bool, _ thresholds: OperatorThresholds) -> Bool {
        switch status(freeBytes: freeBytes, thresholds) {
        case .holds: true
        case .unknown: wasLow
        case .over: false
        }
    }

    /// Returns the free bytes at which a low disk has enough space again.
    package static func end(_ thresholds: OperatorThresholds) -> UInt64 {
        let bound = UInt64(thresholds.diskFreeMegabytes) * 1_000_000
        return bound + bound / 4
    }
}

/// Decides how long dead deliveries are reported to operators.
package enum DeadRule {
    /// The time since the last of them ended.
    private static let shownMilliseconds: UInt64 = 86_400_000

    /// Whether deliveries that ended for one reason are still shown. If the time of the last end is unknown, the expiry of its event
    /// replaces it.
    /// - Parameter lifetimeMilliseconds: the lifetime of an event.
    package static func holds(_ dead: DeadDeliveries, lifetimeMilliseconds: UInt64, now: UnixMilliseconds) -> Bool {
        let endedAt = dead.newestEndedAt ?? dead.newestReceivedAt + lifetimeMilliseconds
        return now.elapsed(since: endedAt) < shownMilliseconds
    }
}
