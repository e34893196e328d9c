package import Core
internal import Threading
package import Time

/// The messages of other threads to the dispatcher's thread, and what that thread publishes.
package struct DispatcherInbox {
    var hasNewWork = false
    /// Whether a new event can give any lane something to do; written by the dispatcher's thread.
    var awaitsWork = true
    var resumes = false
    var isStopping = false
    /// Attempts under way are no longer waited for.
    var isAbandoned = false
    var outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)] = []
    /// The number of attempts that are under way, or have ended and are not stored; written by the dispatcher's thread.
    var unfinished = 0
    /// The notifiers that are paused as misconfigured, by name; written by the dispatcher's thread.
    package var paused: [String: PausedNotifier] = [:]
    /// The health of notifiers by name; written by the dispatcher's thread.
    var health: [String: NotifierHealth] = [:]
    private(set) var notifiers: [String: ServedNotifier] = [:]
    /// Each replacement since the dispatcher's thread last took them, the newest last. None is skipped, so that every replaced notifier is
    /// closed.
    private var newNotifiers: [[String: ServedNotifier]] = []
    var hasEnded = false
    /// Somebody wants to know whether the dispatcher's thread still runs.
    private var isHeartbeatRequested = false

    package init() {}

    /// The reasons of notifiers that start no attempts now, by name.
    package var holds: [String: String] {
        let failing = health.filter { $0.value.status == .open }.mapValues { _ in "notifier failing" }
        return failing.merging(paused.mapValues { "notifier paused (\($0.reason))" }) { _, paused in paused }
    }

    /// The status of each notifier, by name: its state, the cause of its pause, the cause of the last failed attempt (empty
    /// before the first one), the doubt about its settings, the expiry of its certificate, and the time of its next attempt.
    package var statuses:
        [(
            name: String, state: BreakerStatus, pause: PausedNotifier?, lastFailure: String, settingsProblem: String?,
            credentialExpiresAt: UnixSeconds?, nextAttemptAt: UnixMilliseconds?
        )]
    {
        notifiers.sorted { $0.key < $1.key }.map { name, notifier in
            let health = health(of: name)
            return (
                name, health.status, paused[name], health.lastFailure, health.settingsProblem, notifier.credentialExpiresAt,
                health.nextAttemptAt
            )
        }
    }

    /// The health of each notifier for operators' reports, in the order of their names.
    package var observations: [NotifierObservation] {
        notifiers.sorted { $0.key < $1.key }.map { name, notifier in
            let health = health(of: name)
            return NotifierObservation(
                name: name, isStopped: health.status.isStopped, reason: health.lastFailure,
                successes: health.successes, credentialExpiresAt: notifier.credentialExpiresAt)
        }
    }

    /// Returns a notifier's health; it counts as working until the dispatcher's thread reports otherwise.
    func health(of name: String) -> NotifierHealth { health[name] ?? NotifierHealth() }

    /// Whether the dispatcher's thread has something to do.
    private var hasWork: Bool {
        (hasNewWork && awaitsWork) || resumes || !newNotifiers.isEmpty || !outcomes.isEmpty || (isStopping && unfinished == 0)
            || isAbandoned
            || isHeartbeatRequested
    }

    /// Takes all messages; nil when there is nothing to do.
    mutating func take() -> Messages? {
        guard hasWork else { return nil }
        defer {
            hasNewWork = false
            resumes = false
            newNotifiers = []
            outcomes = []
            isHeartbeatRequested = false
        }
        return Messages(hasNewWork: hasNewWork || resumes, resumes: resumes, notifiers: newNotifiers, outcomes: outcomes)
    }

    mutating func replaceNotifiers(_ next: [String: ServedNotifier]) {
        notifiers = next
        newNotifiers.append(next)
    }

    /// Asks for a sign of life.
    /// - Returns: whether the last question was answered.
    fileprivate mutating func requestHeartbeat() -> Bool {
        defer { isHeartbeatRequested = true }
        return !isHeartbeatRequested || hasEnded
    }

    /// Applies a change.
    /// - Returns: whether it gave an idle dispatcher something to do.
    fileprivate mutating func note(_ change: (inout Self) -> Void) -> Bool {
        let wasIdle = !hasWork
        change(&self)
        return wasIdle && hasWork
    }

    struct Messages {
        var hasNewWork = false
        var resumes = false
        /// Each replacement of the notifiers, the newest last.
        var notifiers: [[String: ServedNotifier]] = []
        var outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)] = []
    }
}

package struct PausedNotifier: Sendable, Equatable {
    /// The reason of the attempt that paused it, a stable word.
    package let reason: String
    package let remedy: String
}

/// A notifier's health, as its lane knows it.
struct NotifierHealth: Sendable {
    var status = BreakerStatus.working
    /// nil while it is not paused.
    var pauseReason: BreakerState.PauseReason?
    /// The reason of the last attempt that failed for a reason of the notifier's; empty before the first.
    var lastFailure = ""
    /// The reason for which its settings may be wrong: a refusal since which no delivery has arrived; nil without one.
    var settingsProblem: String?
    var successes: UInt64 = 0
    /// When it may start an attempt again if nothing but time passes; nil while it may, and where it takes more than time. It may have
    /// passed.
    var nextAttemptAt: UnixMilliseconds?
}

package struct NotifierObservation: Sendable, Equatable {
    package let name: String
    /// Whether it starts no attempts but probes.
    package let isStopped: Bool
    /// The reason of the last attempt that failed for a reason of the notifier's; empty before the first.
    package let reason: String
    /// The number of successes since it was configured or the process began.
    package let successes: UInt64
    /// When its certificate expires; nil when it has none.
    package let credentialExpiresAt: UnixSeconds?
}

extension Monitor<DispatcherInbox> {
    /// Tells the dispatcher that a delivery may have become due.
    ///
    /// Wakes it only if it sleeps and has room for attempts: waking a thread costs more than accepting a webhook.
    package func announceWork() {
        if withLock({ $0.note { $0.hasNewWork = true } }) { wakeAll() }
    }

    /// Asks the dispatcher's thread whether it still runs.
    /// - Returns: whether it has answered since the last question, or has ended as it should; true the first time.
    package func requestHeartbeat() -> Bool { update { $0.requestHeartbeat() } }

    func report(_ outcome: DeliveryOutcome, of id: UUIDv7, by notifier: String) {
        if withLock({ $0.note { $0.outcomes.append((notifier, id, outcome)) } }) { wakeAll() }
    }
}
