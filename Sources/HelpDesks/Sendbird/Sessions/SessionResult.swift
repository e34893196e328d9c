internal import Core
internal import Observability

enum SessionResult: String, CaseIterable {
    case issued
    case kept
    case malformed, denied
    /// A rate limit of Deskgate was reached.
    case limited
    /// A rate limit of Sendbird was reached.
    case throttled
    case off
    case unavailable
}

/// Counts requests for session tokens by app and result. Requests for an unknown app are counted under an empty name, because the caller
/// chooses the name.
struct SessionCounters: Sendable {
    private let family: MetricFamily<Counter>
    private let apps: [ByteKey: [String: Counter]]

    init(_ family: MetricFamily<Counter>, apps: [String]) {
        self.family = family
        let counters = apps.map { app in
            (ByteKey(app), Dictionary(uniqueKeysWithValues: SessionResult.allCases.map { ($0.rawValue, family.child(app, $0.rawValue)) }))
        }
        self.apps = Dictionary(uniqueKeysWithValues: counters)
    }

    /// - Parameter word: one of `SessionResult`.
    func count(_ word: String, app: String?) {
        let known = app.flatMap { apps[ByteKey($0)]?[word] }
        (known ?? family.child(app ?? "", word)).increment()
    }
}
