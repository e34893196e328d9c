internal import Observability

/// Counts the calls of devices by app and result. A call of an unknown app counts for the empty one, because its name is the caller's to
/// choose.
package struct PushTokenCounters: Sendable {
    /// The result of a call, as it stands in logs and metrics.
    enum Result: String, CaseIterable {
        case registered, unchanged, removed, limited, malformed, denied, unavailable
    }

    private let family: MetricFamily<Counter>

    init(_ family: MetricFamily<Counter>) {
        self.family = family
    }

    /// Begins the series of an app at 0.
    func expect(app: String) {
        for result in Result.allCases { _ = family.child(app, result.rawValue) }
    }

    func count(_ result: Result, app: String?) {
        family.child(app ?? "", result.rawValue).increment()
    }
}
