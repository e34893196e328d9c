internal import Core
internal import HelpDesk
internal import Observability
internal import POSIX
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
    func registerCertificateExpiries(_ expiries: @escaping @Sendable () -> [(listener: String, expiresAt: UnixSeconds)]) {
        registry.gauge(
            "deskgate_certificate_expiry_timestamp_seconds", "When a listener's certificate expires, in Unix time.", labels: ["listener"]
        ) {
            expiries().map { ComputedSample($0.listener, value: Double($0.expiresAt.rawValue)) }
        }
    }

    /// Registers the metrics of the last reload, with the names of Prometheus's own.
    func registerReloads(_ record: ConfigurationRecord) {
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
    /// - Parameter isCopied: whether the configuration requires a copy.
    func registerRevocations(
        isCopied: Bool, _ count: @escaping @Sendable () -> Int, status: @escaping @Sendable () -> RevocationStatus
    ) {
        registry.gauge("deskgate_revocations", "Revocations of security keys in force.") { Double(count()) }
        registry.gauge(
            "deskgate_revocations_refresh_timestamp_seconds",
            "The time at which revocations were last read from the store, in Unix time; 0 before the first read."
        ) {
            let status = status()
            return status.source == .store ? Double(status.knownAt.rawValue) : 0
        }
        registry.gauge(
            "deskgate_revocations_source", "1 for the source of the revocations in force, 0 for the others: store, copy, none.",
            labels: ["source"]
        ) {
            let source = status().source
            return RevocationStatus.Source.allCases.map { ComputedSample($0.rawValue, value: $0 == source ? 1 : 0) }
        }
        guard isCopied else { return }
        registry.gauge(
            "deskgate_revocations_copy_timestamp_seconds",
            "When the copy of the revocations was last those of the store, in Unix time; 0 when there is none."
        ) { Double(status().copiedAt.rawValue) }
    }

    /// Registers the metrics of the disks that the service writes to, by their contents.
    func registerDisks(_ disks: @escaping @Sendable () -> [WatchedDisk]) {
        registry.gauge(
            "deskgate_disk_free_bytes", "What the service can still write on the file system of a file of its own, in bytes.",
            labels: ["file"]
        ) {
            disks().compactMap { disk in disk.space.map { ComputedSample(disk.name, value: Double($0.free)) } }
        }
        registry.gauge("deskgate_disk_size_bytes", "The size of that file system, in bytes.", labels: ["file"]) {
            disks().compactMap { disk in disk.space.map { ComputedSample(disk.name, value: Double($0.size)) } }
        }
    }

    func countReload(succeeded: Bool) {
        reloads.child(succeeded ? "success" : "failure").increment()
    }
}

/// Counts one listener's responses by route and status, without a lock for common statuses.
struct HTTPCounters: Sendable {
    private static let usual = [200, 400, 403, 404, 405, 503]

    private let family: MetricFamily<Counter>
    private let listener: String
    private let routes: [String]
    /// The counters of the common statuses, by route.
    private let counters: [NumberedCounters]

    /// Creates the counters of a listener whose routes have these paths, in the order of their indices.
    /// - Parameter watched: a status that operators watch; its series exists from the start for each route. Other series appear with their
    ///   first response.
    init(_ family: MetricFamily<Counter>, listener: String, routes: [String], watched: Int?) {
        self.family = family
        self.listener = listener
        // Requests that match no route are counted together, because the caller chooses their path.
        self.routes = ["other"] + routes
        counters = self.routes.map { route in NumberedCounters(Self.usual) { family.child(listener, route, "\($0)") } }
        if let watched { for route in routes { family.child(listener, route, "\(watched)").showZero() } }
    }

    /// Counts a response; `route` is -1 for a request without a route.
    func count(route: Int, status: Int) {
        if !counters[route + 1].increment(status) { family.child(listener, routes[route + 1], "\(status)").increment() }
    }
}

/// The process metrics, with the names that Prometheus' own clients use.
enum ProcessMetrics {
    /// Registers them; a value that the system does not provide is 0.
    static func register(in registry: MetricsRegistry) {
        registry.counter("process_cpu_seconds_total", "User and system CPU time spent, in seconds.") { ProcessUsage.cpuSeconds }
        registry.gauge("process_resident_memory_bytes", "Resident memory size in bytes.") {
            Double(ProcessUsage.current?.residentBytes ?? 0)
        }
        registry.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.") {
            Double(ProcessUsage.current?.virtualBytes ?? 0)
        }
        registry.gauge("process_threads", "Number of threads.") { Double(ProcessUsage.current?.threads ?? 0) }
        registry.gauge("process_open_fds", "Number of open file descriptors.") { Double(ProcessUsage.openDescriptors) }
        registry.gauge("process_max_fds", "Maximum number of open file descriptors.") { Double(ProcessUsage.descriptorLimit) }
        let start = ProcessUsage.startUnixSeconds ?? 0
        registry.gauge("process_start_time_seconds", "Start time of the process since the Unix epoch, in seconds.") { start }
    }
}
