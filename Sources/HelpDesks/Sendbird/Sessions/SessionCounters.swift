internal import Observability

/// Counts calls for session tokens by app and result. Calls for an unknown app are counted under an empty name, because the caller chooses
/// the name.
struct SessionCounters: Sendable {
    /// The result of a call, as in logs and metrics.
    enum Result: String, CaseIterable {
        /// A new token.
        case issued
        /// One that was kept.
        case kept
        case malformed, denied
        /// A limit of ours.
        case limited
        /// A limit of Sendbird's.
        case throttled
        /// The app has no session tokens.
        case off
        case unavailable
    }

    private let family: MetricFamily<Counter>
    private let apps: [(name: String, counters: LabelledCounters<Result>)]

    /// Makes the series of these apps, with 0.
    init(_ family: MetricFamily<Counter>, apps: [String]) {
        self.family = family
        self.apps = apps.map { app in (app, LabelledCounters(Result.allCases) { family.child(app, $0.rawValue) }) }
    }

    func count(_ result: Result, app: String?) {
        if let app, let known = apps.first(where: { $0.name.utf8.elementsEqual(app.utf8) }) {
            known.counters.increment(result)
        } else {
            family.child(app ?? "", result.rawValue).increment()
        }
    }
}
