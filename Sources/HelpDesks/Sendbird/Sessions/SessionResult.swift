internal import Core
internal import Observability

/// The result of a call for a session token, as in logs and metrics.
enum SessionResult: String, CaseIterable {
    case issued
    /// A cached token.
    case kept
    case malformed, denied
    case limited
    case throttled
    /// The app has no session tokens.
    case off
    case unavailable
}

/// Counts calls for session tokens by app and result. Calls for an unknown app are counted under an empty name, because the caller chooses
/// the name.
struct SessionCounters: Sendable {
    private let family: MetricFamily<Counter>
    private let apps: [ByteKey: [String: Counter]]

    /// Makes the series of these apps, with 0.
    init(_ family: MetricFamily<Counter>, apps: [String]) {
        self.family = family
        let counters = apps.map { app in
            (ByteKey(app), Dictionary(uniqueKeysWithValues: SessionResult.allCases.map { ($0.rawValue, family.child(app, $0.rawValue)) }))
        }
        self.apps = Dictionary(uniqueKeysWithValues: counters)
    }

    /// Counts a call; `word` is one of `SessionResult`.
    func count(_ word: String, app: String?) {
        let known = app.flatMap { apps[ByteKey($0)]?[word] }
        (known ?? family.child(app ?? "", word)).increment()
    }
}
