internal import Core
internal import Threading

/// What other threads tell the dispatcher's.
package struct DispatcherInbox {
    /// Something may be due that was not before.
    var hasNews = false
    /// Whether news would change anything; kept by the dispatcher's thread.
    var awaitsNews = true
    /// Notifiers that were switched off may try again.
    var resumes = false
    /// Nothing more is to be started.
    var isStopping = false
    /// What still runs is not waited for any longer.
    var isAbandoned = false
    /// What came of tries.
    var outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)] = []
    /// How many tries run, or have ended without the store knowing it; kept by the dispatcher's thread.
    var unfinished = 0
    /// The notifiers that are switched off, by name; kept by the dispatcher's thread.
    package var paused: [String: PausedNotifier] = [:]
    /// How notifiers do, by name; kept by the dispatcher's thread.
    var states: [String: NotifierState] = [:]
    /// All notifiers, by name.
    private(set) var notifiers: [String: ServedNotifier] = [:]
    /// What they have become since the dispatcher's thread last looked, the newest last: none is left out, so that each is closed.
    private var newNotifiers: [[String: ServedNotifier]] = []
    /// The dispatcher's thread does nothing any more.
    var hasEnded = false

    /// Holds no news.
    package init() {}

    /// Why nothing starts for a notifier just now, by its name.
    package var holds: [String: String] {
        let failing = states.filter { $0.value == .open }.mapValues { _ in "notifier failing" }
        return failing.merging(paused.mapValues { "notifier paused (\($0.reason))" }) { _, paused in paused }
    }

    /// Whether there is something to do for the dispatcher's thread.
    private var hasWork: Bool {
        (hasNews && awaitsNews) || resumes || !newNotifiers.isEmpty || !outcomes.isEmpty || (isStopping && unfinished == 0) || isAbandoned
    }

    /// Takes all news, or nil when there are none.
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

    /// Has the dispatcher go on with these notifiers and no others.
    mutating func replaceNotifiers(_ next: [String: ServedNotifier]) {
        notifiers = next
        newNotifiers.append(next)
    }

    /// Notes something, and tells whether that gave an idle dispatcher something to do.
    fileprivate mutating func note(_ change: (inout Self) -> Void) -> Bool {
        let wasIdle = !hasWork
        change(&self)
        return wasIdle && hasWork
    }

    /// What was taken.
    struct News {
        var hasNews = false
        var resumes = false
        /// All notifiers, as often as they have changed.
        var notifiers: [[String: ServedNotifier]] = []
        var outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)] = []
    }
}

/// Why a notifier is switched off.
package struct PausedNotifier: Sendable, Equatable {
    /// The reason of the try that did it, in a stable word.
    package let reason: String
    /// What an operator does about it.
    package let remedy: String
}

extension Monitor<DispatcherInbox> {
    /// Tells the dispatcher that something may be due that was not before.
    ///
    /// It is woken only when it sleeps and would look: webhooks come by the thousand, and waking a thread costs more than accepting one.
    package func announceNews() {
        if withLock({ $0.note { $0.hasNews = true } }) { wakeAll() }
    }

    /// Tells the dispatcher what came of a try.
    func report(_ outcome: DeliveryOutcome, of id: UUIDv7, by notifier: String) {
        if withLock({ $0.note { $0.outcomes.append((notifier, id, outcome)) } }) { wakeAll() }
    }
}
