package import Core
internal import Threading
package import Time

/// The messages of other threads to the dispatcher's thread, and the state that this thread publishes.
package struct DispatcherInbox {
    /// A delivery may have become due.
    var hasNewWork = false
    /// Whether a new event can cause an attempt in any lane; written by the dispatcher's thread.
    var awaitsWork = true
    var resumes = false
    var isStopping = false
    /// The dispatcher must stop waiting for running attempts.
    var isAbandoned = false
    var outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)] = []
    /// Attempts that are running, or whose outcome is not stored; written by the dispatcher's thread.
    var unfinished = 0
    /// Notifiers paused as misconfigured, by name; written by the dispatcher's thread.
    package var paused: [String: PausedNotifier] = [:]
    var health: [String: NotifierHealth] = [:]
    private(set) var notifiers: [String: ServedNotifier] = [:]
    /// The replacements that the dispatcher's thread has not taken yet, newest last. None is skipped, so that every replaced notifier is
    /// closed.
    private var newNotifiers: [[String: ServedNotifier]] = []
    var hasEnded = false
    /// A heartbeat of the dispatcher's thread is requested.
    private var isHeartbeatRequested = false

    package init() {}

    /// The reasons why notifiers start no attempts now, by name. Notifiers that start attempts are omitted.
    package var holds: [String: String] {
        let failing = health.filter { $0.value.status == .open }.mapValues { _ in "notifier failing" }
        return failing.merging(paused.mapValues { "notifier paused (\($0.reason))" }) { _, paused in paused }
    }

    /// The states of the notifiers, ordered by name. `lastFailure` is empty before the first failure; `nextAttemptAt` is nil while attempts
    /// may start.
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

    /// The observations for operator conditions, ordered by name.
    package var observations: [NotifierObservation] {
        notifiers.sorted { $0.key < $1.key }.map { name, notifier in
            let health = health(of: name)
            return NotifierObservation(
                name: name, isStopped: health.status.isStopped, reason: health.lastFailure,
                successes: health.successes, credentialExpiresAt: notifier.credentialExpiresAt)
        }
    }

    func health(of name: String) -> NotifierHealth { health[name] ?? NotifierHealth() }

    private var hasWork: Bool {
        (hasNewWork && awaitsWork) || resumes || !newNotifiers.isEmpty || !outcomes.isEmpty || (isStopping && unfinished == 0)
            || isAbandoned
            || isHeartbeatRequested
    }

    /// Takes all messages; nil when there are none.
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

    /// Requests a heartbeat.
    /// - Returns: whether the last request was answered.
    fileprivate mutating func requestHeartbeat() -> Bool {
        defer { isHeartbeatRequested = true }
        return !isHeartbeatRequested || hasEnded
    }

    /// - Returns: whether the change gave work to an idle dispatcher.
    fileprivate mutating func note(_ change: (inout Self) -> Void) -> Bool {
        let wasIdle = !hasWork
        change(&self)
        return wasIdle && hasWork
    }

    struct Messages {
        var hasNewWork = false
        var resumes = false
        var notifiers: [[String: ServedNotifier]] = []
        var outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)] = []
    }
}

package struct PausedNotifier: Sendable, Equatable {
    /// The stable reason of the attempt that paused it.
    package let reason: String
    /// Steps for an operator.
    package let remedy: String
}

/// The health of a notifier, as known to its lane.
struct NotifierHealth: Sendable {
    var status = BreakerStatus.working
    /// Nil when it is not paused.
    var pauseReason: BreakerState.PauseReason?
    /// The reason of the last attempt that failed because of the notifier; empty before the first.
    var lastFailure = ""
    /// The reason why its settings may be wrong: a rejection since which no delivery has arrived; nil without one.
    var settingsProblem: String?
    var successes: UInt64 = 0
    /// The time of the next attempt without further input; nil while attempts may start, or when more than time is needed. It may be in the
    /// past.
    var nextAttemptAt: UnixMilliseconds?
}

package struct NotifierObservation: Sendable, Equatable {
    package let name: String
    /// Whether it starts only probes.
    package let isStopped: Bool
    /// The reason of the last attempt that failed because of the notifier; empty before the first.
    package let reason: String
    /// The number of proofs of health since the notifier was configured or the process began.
    package let successes: UInt64
    /// Nil when it has no certificate.
    package let credentialExpiresAt: UnixSeconds?
}

extension Monitor<DispatcherInbox> {
    /// Reports that a delivery may have become due. Wakes the dispatcher only if it sleeps and has room for attempts: waking a thread costs
    /// more than accepting a webhook.
    package func announceWork() {
        if withLock({ $0.note { $0.hasNewWork = true } }) { wakeAll() }
    }

    /// Requests a heartbeat of the dispatcher's thread.
    /// - Returns: whether the thread has answered since the last request, or has ended on request; true the first time.
    package func requestHeartbeat() -> Bool { update { $0.requestHeartbeat() } }

    func report(_ outcome: DeliveryOutcome, of id: UUIDv7, by notifier: String) {
        if withLock({ $0.note { $0.outcomes.append((notifier, id, outcome)) } }) { wakeAll() }
    }
}
