internal import Observability

/// Counts registration calls by app and result. Calls for an unknown app are counted under an empty name, because the caller chooses the
/// name.
package struct PushTokenCounters: Sendable {
    enum Result: String, CaseIterable {
        case registered, unchanged, removed, limited, malformed, denied, unavailable
    }

    private let family: MetricFamily<Counter>

    init(_ family: MetricFamily<Counter>) {
        self.family = family
    }

    func expect(app: String) {
        for result in Result.allCases { _ = family.child(app, result.rawValue) }
    }

    func count(_ result: Result, app: String?) {
        family.child(app ?? "", result.rawValue).increment()
    }
}
