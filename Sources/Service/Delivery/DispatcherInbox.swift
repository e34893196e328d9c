internal import Core

/// What other threads tell the dispatcher's.
struct DispatcherInbox {
    /// Something may be due that was not before.
    var hasNews = false
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
    /// The notifiers that are switched off, by name, with the reason of the try that did it; kept by the dispatcher's thread.
    var paused: [String: String] = [:]
    /// The dispatcher's thread does nothing any more.
    var hasEnded = false

    /// Takes all news, or nil when there are none.
    mutating func take() -> News? {
        guard hasNews || resumes || !outcomes.isEmpty || (isStopping && unfinished == 0) || isAbandoned else { return nil }
        defer {
            hasNews = false
            resumes = false
            outcomes = []
        }
        return News(hasNews: hasNews || resumes, resumes: resumes, outcomes: outcomes)
    }

    /// What was taken.
    struct News {
        var hasNews = false
        var resumes = false
        var outcomes: [(notifier: String, id: UUIDv7, outcome: DeliveryOutcome)] = []
    }
}
