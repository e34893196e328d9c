internal import HelpDesk
internal import Observability
internal import Time

/// The service's own metrics, which are public contract.
struct ServiceMetrics: Sendable {
    let registry: MetricsRegistry
    let helpDesks: HelpDeskMetrics
    private let httpRequests: MetricFamily<Counter>
    private let reloads: MetricFamily<Counter>

    init(registry: MetricsRegistry, version: String) {
        self.registry = registry
        helpDesks = HelpDeskMetrics(registry)
        httpRequests = registry.counter(
            "deskgate_http_requests_total", "Responses by listener, route and status code.", labels: ["listener", "route", "code"],
            hidesZeros: true)
        reloads = registry.counter("deskgate_config_reloads_total", "Configuration reloads by result.", labels: ["result"])
        for result in ["success", "failure"] { _ = reloads.child(result) }
        ProcessMetrics.register(in: registry)
        registry.gauge("deskgate_build_info", "Always 1; the version is a label.", labels: ["version"]) {
            [ComputedSample(version, value: 1)]
        }
    }

    func httpCounters(listener: String, routes: [String], watched: Int?) -> HTTPCounters {
        HTTPCounters(httpRequests, listener: listener, routes: routes, watched: watched)
    }

    /// Registers the metric of the listeners' certificate expiries, in Unix seconds.
    func tellCertificateExpiries(_ expiries: @escaping @Sendable () -> [(listener: String, expiresAt: UnixSeconds)]) {
        registry.gauge(
            "deskgate_certificate_expiry_timestamp_seconds", "When a listener's certificate expires, in Unix time.", labels: ["listener"]
        ) {
            expiries().map { ComputedSample($0.listener, value: Double($0.expiresAt.rawValue)) }
        }
    }

    /// Registers the metrics of the last reload, as Prometheus calls its own.
    func tellReloads(_ record: ConfigurationRecord) {
        registry.gauge(
            "deskgate_config_last_reload_successful", "Whether the last attempt to load the configuration succeeded: 1 or 0."
        ) {
            record.hasSucceeded ? 1 : 0
        }
        registry.gauge(
            "deskgate_config_last_reload_success_timestamp_seconds", "When the configuration in force was loaded, in Unix time."
        ) {
            Double(record.loadedAt.rawValue / 1000)
        }
    }

    /// Registers the metrics of revocations.
    /// - Parameter refreshedAt: when the store was last asked with success; 0 before that.
    func tellRevocations(_ count: @escaping @Sendable () -> Int, refreshedAt: @escaping @Sendable () -> UnixSeconds) {
        registry.gauge("deskgate_revocations", "Revocations of security keys in force.") { Double(count()) }
        registry.gauge(
            "deskgate_revocations_refresh_timestamp_seconds",
            "When the store was last asked for changed revocations with success, in Unix time; 0 before that."
        ) { Double(refreshedAt().rawValue) }
    }

    func countReload(succeeded: Bool) {
        reloads.child(succeeded ? "success" : "failure").increment()
    }
}
