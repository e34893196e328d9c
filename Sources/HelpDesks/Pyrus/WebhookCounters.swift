internal import Observability

/// Counts webhooks by app and result; what belongs to no app that takes webhooks has an empty one, since its name is the caller's to choose.
struct WebhookCounters: Sendable {
    /// What comes of a webhook, as it stands in logs and metrics.
    enum Result: String, CaseIterable {
        case accepted, duplicate, ignored, malformed, denied, unavailable
    }

    /// The counters of one app.
    struct App: Sendable {
        private let counters: [Counter]

        fileprivate init(_ family: MetricFamily<Counter>, _ id: String) {
            counters = Result.allCases.map { family.child(id, $0.rawValue) }
        }

        func count(_ result: Result) {
            let index =
                switch result {
                case .accepted: 0
                case .duplicate: 1
                case .ignored: 2
                case .malformed: 3
                case .denied: 4
                case .unavailable: 5
                }
            counters[index].increment()
        }
    }

    let unknown: App
    private let family: MetricFamily<Counter>

    init(_ family: MetricFamily<Counter>) {
        self.family = family
        unknown = App(family, "")
    }

    func app(_ id: String) -> App {
        App(family, id)
    }
}
