package import Time

/// The thresholds of operators' notifications; the defaults are those of the alert rules in `deploy/prometheus`.
package struct OperatorThresholds: Sendable, Equatable {
    /// Seconds for which a notifier must start no attempts.
    package var pausedSeconds = 60
    /// The age of the oldest delivery that waits, in seconds.
    package var queueLateSeconds = 900
    /// Days before its expiry when a credential is reported.
    package var expiresDays = RenewalTime.dueDays
    /// The space that should be free on a disk, in units of 1,000,000 bytes; 0 for none.
    package var diskFreeMegabytes = 1000
    /// The number of denied authorizations of an app within `DenialTrend.windowMilliseconds`.
    package var denials = 20

    package init() {}
}

/// The lead times for renewing something that expires, such as a certificate.
///
/// `ExpiringCredential` is the rule. Lists show an expiry long before it, because renewing at Apple or at a company's authority takes
/// people and weeks. The log and events report it only when the operator should act.
package enum RenewalTime {
    /// From then on it is among the problems that `GET /v1/status` and the page show, in days.
    package static let shownDays = 30
    /// Days before its expiry from which `check` and the log warn of it, and, by default, operators are notified.
    package static let dueDays = 14
}

/// When deliveries wait too long for a notifier.
package enum QueueRule {
    /// Fewer may wait for long because of their own devices or receivers, as the backoff of one delivery grows.
    package static let fewDeliveries = 10

    /// - Parameters:
    ///   - notifier: its name. Of the messages that `HeldMessage` keeps none may wait for long, because the help desk alone delays them.
    ///   - count: how many deliveries wait.
    ///   - ageMilliseconds: the age of the oldest.
    ///   - lifeMilliseconds: how long an event is delivered: beyond half of it even one delivery is late.
    package static func status(
        of notifier: String, count: Int, ageMilliseconds: UInt64, lifeMilliseconds: UInt64, _ thresholds: OperatorThresholds
    ) -> ConditionStatus {
        let late = UInt64(thresholds.queueLateSeconds) * 1000
        let few = notifier == HeldMessage.notifier ? 0 : fewDeliveries
        if ageMilliseconds > late, count > few || ageMilliseconds > lifeMilliseconds / 2 { return .holds }
        // A queue about the threshold is told of once.
        return count == 0 || ageMilliseconds < late / 2 ? .over(.resolved) : .unknown
    }
}

/// Decides when a reported problem is over.
package enum ProblemRule {
    /// A problem that comes and goes is reported at most ten times an hour, like a notifier (`NotifierTrouble`).
    /// - Parameter unseenMilliseconds: the time for which it was absent.
    package static func status(unseenMilliseconds: UInt64, _ thresholds: OperatorThresholds) -> ConditionStatus {
        let calm = UInt64(thresholds.pausedSeconds) * 1000 * NotifierTrouble.calmFactor
        return unseenMilliseconds >= calm ? .over(.resolved) : .unknown
    }
}

/// Decides when a disk has little space left.
package enum DiskRule {
    /// - Parameter freeBytes: what an unprivileged user can still write.
    package static func status(freeBytes: UInt64, _ thresholds: OperatorThresholds) -> ConditionStatus {
        let bound = UInt64(thresholds.diskFreeMegabytes) * 1_000_000
        if freeBytes < bound { return .holds }
        // A quarter more, so that a disk about the threshold is told of once.
        return freeBytes >= end(thresholds) ? .over(.resolved) : .unknown
    }

    /// Whether it is shown as low.
    /// - Parameter wasLow: whether it was when it was last read; false if it was not read yet.
    package static func isLow(freeBytes: UInt64, wasLow: Bool, _ thresholds: OperatorThresholds) -> Bool {
        switch status(freeBytes: freeBytes, thresholds) {
        case .holds: true
        case .unknown: wasLow
        case .over: false
        }
    }

    /// From how many free bytes on a disk that was low has enough again.
    package static func end(_ thresholds: OperatorThresholds) -> UInt64 {
        let bound = UInt64(thresholds.diskFreeMegabytes) * 1_000_000
        return bound + bound / 4
    }
}

/// Decides when dead deliveries are reported.
package enum DeadRule {
    /// For how long after the last of them has ended, in milliseconds.
    private static let shownMilliseconds: UInt64 = 86_400_000

    /// Whether deliveries that ended for one reason are still shown. Where it is not known when the last one ended, its event had expired
    /// by then.
    /// - Parameter lifeMilliseconds: how long an event is delivered.
    package static func holds(_ dead: DeadDeliveries, lifeMilliseconds: UInt64, now: UnixMilliseconds) -> Bool {
        let endedAt = dead.newestEndedAt ?? dead.newestReceivedAt + lifeMilliseconds
        return now.elapsed(since: endedAt) < shownMilliseconds
    }
}
