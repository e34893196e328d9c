internal import Core
internal import Observability

/// Metrics of the apps' backends. Only one instance per registry may be created.
struct BackendMetrics: Sendable {
    private let checks: MetricFamily<Counter>
    private let hits: MetricFamily<Counter>
    private let durations: MetricFamily<Histogram>

    /// The upper bounds of the buckets in seconds. A call may take as long as `timeout_ms` allows.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    init(_ registry: MetricsRegistry) {
        checks = registry.counter(
            "deskgate_backend_checks_total", "Calls of an app's backend by result, and requests for which it was not called.",
            labels: ["app", "result"])
        durations = registry.histogram(
            "deskgate_backend_check_duration_seconds", "Duration of calls of an app's backend.", labels: ["app"], bounds: Self.bounds)
        hits = registry.counter(
            "deskgate_backend_cache_hits_total", "Requests that were decided with a cached answer of an app's backend.",
            labels: ["app", "result"])
    }

    /// Returns the counters of one app. They are exported from then on, initially as 0.
    func counters(of app: String) -> BackendCounters {
        BackendCounters(
            checks: LabelledCounters(BackendAnswer.all) { checks.child(app, $0.word) },
            hits: LabelledCounters([BackendAnswer.allowed, .denied]) { hits.child(app, $0.word) }, duration: durations.child(app))
    }
}

struct BackendCounters: Sendable {
    let checks: LabelledCounters<BackendAnswer>
    let hits: LabelledCounters<BackendAnswer>
    let duration: Histogram

    func count(_ finding: BackendCallCoalescer<BackendVerifier.Waiter>.Finding) {
        switch finding {
        case .kept(let answer): hits.increment(answer)
        case .refused(let reason): checks.increment(.undecided(reason))
        }
    }
}

extension BackendAnswer {
    fileprivate static var all: [BackendAnswer] {
        // Backends are not queried before the revocations are loaded.
        [.allowed, .denied] + UndecidedReason.allCases.filter { $0 != .revocationsUnknown }.map { .undecided($0) }
    }

    fileprivate var word: String {
        switch self {
        case .allowed: "allowed"
        case .denied: "denied"
        case .undecided(.internalError): "internal_error"
        case .undecided(.revocationsUnknown): UndecidedReason.revocationsUnknown.rawValue
        case .undecided(.backendTimeout): "timeout"
        case .undecided(.backendUnreachable): "unreachable"
        case .undecided(.backendStatus): "status"
        case .undecided(.backendBreakerOpen): "breaker_open"
        case .undecided(.backendNewKeysLimited): "new_keys_paced"
        case .undecided(.backendOverloaded): "overloaded"
        }
    }
}
