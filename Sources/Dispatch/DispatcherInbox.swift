internal import Core
internal import Threading
package import Time

/// The messages of other threads to the dispatcher's thread, and what that thread publishes.
package struct DispatcherInbox {
    /// A delivery may have become due.
    var hasNews = false
    /// Whether a new event can give any lane something to do; written by the dispatcher's thread.
    var awaitsNews = true
    /// Paused notifiers are to be resumed.
    var resumes = false
    /// No more attempts are to be started.
    var isStopping = false
    /// Attempts under way are no longer waited for.
    var isAbandoned = false
    /// The outcomes of attempts.
    var outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)] = []
    /// How many attempts are under way, or have ended and are not stored; written by the dispatcher's thread.
    var unfinished = 0
    /// The notifiers that are paused as misconfigured, by name; written by the dispatcher's thread.
    package var paused: [String: PausedNotifier] = [:]
    /// The states of notifiers, by name; written by the dispatcher's thread.
    var states: [String: NotifierState] = [:]
    /// All notifiers, by name.
    private(set) var notifiers: [String: ServedNotifier] = [:]
    /// Each replacement since the dispatcher's thread last took them, the newest last. None is skipped, so that every replaced notifier is
    /// closed.
    private var newNotifiers: [[String: ServedNotifier]] = []
    /// The dispatcher's thread has ended.
    var hasEnded = false

    /// Makes an empty inbox.
    package init() {}

    /// Why a notifier starts no attempts now, by its name; only those that do not.
    package var holds: [String: String] {
        let failing = states.filter { $0.value == .open }.mapValues { _ in "notifier failing" }
        return failing.merging(paused.mapValues { "notifier paused (\($0.reason))" }) { _, paused in paused }
    }

    /// How each notifier does its work, by name: the word of its state, why it is paused, and when its certificate expires.
    package var standings: [(name: String, state: String, pause: PausedNotifier?, credentialExpiresAt: UnixSeconds?)] {
        notifiers.sorted { $0.key < $1.key }.map { name, notifier in
            (name, (states[name] ?? .working).rawValue, paused[name], notifier.credentialExpiresAt)
        }
    }

    /// Whether the dispatcher's thread has something to do.
    private var hasWork: Bool {
        (hasNews && awaitsNews) || resumes || !newNotifiers.isEmpty || !outcomes.isEmpty || (isStopping && unfinished == 0) || isAbandoned
    }

    /// Takes all messages; nil when there is nothing to do.
    mutating func take() -> News? {
        guard hasWork else { return nil }
        defer {
            hasNews = false
            resumes = false
            newNotifiers = []
            outcomes = []
        }
        return News(hasNews: hasNews || resumes, resumes: resumes, notifiers: newNotifiers, outcomes: outcomes)
    }

    /// Has the dispatcher replace its notifiers by these.
    mutating func replaceNotifiers(_ next: [String: ServedNotifier]) {
        notifiers = next
        newNotifiers.append(next)
    }

    /// Applies a change.
    /// - Returns: whether it gave an idle dispatcher something to do.
    fileprivate mutating func note(_ change: (inout Self) -> Void) -> Bool {
        let wasIdle = !hasWork
        change(&self)
        return wasIdle && hasWork
    }

    /// The messages that were taken.
    struct News {
        var hasNews = false
        var resumes = false
        /// Each replacement of the notifiers, the newest last.
        var notifiers: [[String: ServedNotifier]] = []
        var outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)] = []
    }
}

/// Why a notifier is paused as misconfigured.
package struct PausedNotifier: Sendable, Equatable {
    /// The reason of the attempt that paused it, a stable word.
    package let reason: String
    /// What an operator can do about it.
    package let remedy: String
}

extension Monitor<DispatcherInbox> {
    /// Tells the dispatcher that a delivery may have become due.
    ///
    /// Wakes it only if it sleeps and has room for attempts: waking a thread costs more than accepting a webhook.
    package func announceNews() {
        if withLock({ $0.note { $0.hasNews = true } }) { wakeAll() }
    }

    /// Reports the outcome of an attempt.
    func report(_ outcome: DeliveryOutcome, of id: UUIDv7, by notifier: String) {
        if withLock({ $0.note { $0.outcomes.append((notifier, id, outcome)) } }) { wakeAll() }
    }
}
