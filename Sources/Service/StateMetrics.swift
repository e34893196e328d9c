internal import Configuration
internal import Core
internal import HTTPServer
internal import HelpDesk
internal import Observability
internal import Threading
internal import Time

/// Gauges of the service's state: computed at each rendering from memory.
extension ServiceMetrics {
    /// Registers the facts of the configuration in force: its file, and its dates.
    func registerConfiguration(_ record: ConfigurationRecord) {
        registry.gauge(
            "deskgate_config_info",
            "Always 1; sha256 is that of the configuration file in force, as sha256sum prints it, and empty when the file holds secrets.",
            labels: ["sha256"]
        ) { [ComputedSample(record.configuration.fileDigest, value: 1)] }
        registry.gauge(
            "deskgate_key_not_after_timestamp_seconds",
            "The last second in which a key of an app is valid, in Unix time; only for keys with an expiry.",
            labels: ["app", "key_id"]
        ) {
            record.configuration.apps.flatMap { app in
                app.keys.compactMap { key in
                    key.notAfter.map { ComputedSample(app.id, "\(key.id)", value: Double($0.rawValue)) }
                }
            }
        }
        registry.gauge(
            "deskgate_shadow_until_timestamp_seconds",
            "The end of an app's shadow mode, in Unix time, past or future; only for apps that have one.",
            labels: ["app"]
        ) {
            record.configuration.apps.compactMap { app in app.shadowUntil.map { ComputedSample(app.id, value: Double($0.rawValue)) } }
        }
    }

    /// Registers the limits of the queue, which only a restart changes.
    func registerQueueLimits(_ store: Configuration.Store) {
        registry.gauge("deskgate_queue_pending_limit", "The maximum number of waiting deliveries, above which webhooks are answered 503.") {
            Double(store.maximumPending)
        }
        registry.gauge(
            "deskgate_queue_pending_per_notifier_limit", "How many deliveries may wait for one notifier, before further ones end as dead."
        ) { Double(store.maximumPendingPerNotifier) }
    }

    /// Registers the states of the breakers of the apps' backends.
    func registerBackends(_ state: SnapshotReference<HelpDeskState>) {
        registry.gauge(
            "deskgate_backend_state", "1 for the state of an app's backend, 0 for the others.", labels: ["app", "state"]
        ) {
            (state.current.backends?.statuses ?? []).flatMap { app, current in
                // A backend is never paused.
                BreakerStatus.allCases.filter { $0 != .paused }.map {
                    ComputedSample(app, $0.rawValue, value: $0 == current.state ? 1 : 0)
                }
            }
        }
    }

    /// Registers the problems that `deskgate status` lists.
    func registerProblems(_ counts: @escaping @Sendable () -> [(kind: String, severity: String, count: Int)]) {
        registry.gauge(
            "deskgate_problems", "The number of current problems of a kind and severity, as listed by deskgate status.",
            labels: ["kind", "severity"]
        ) { counts().map { ComputedSample($0.kind, $0.severity, value: Double($0.count)) } }
    }

    /// Registers the offset of the store's clock from this machine's; a store without its own clock has no series.
    func registerStoreClock(_ store: any Store) {
        registry.gauge(
            "deskgate_store_clock_offset_seconds",
            "How far the clock of a PostgreSQL store is ahead of this machine's; less than 0: behind.",
            labels: []
        ) {
            store.clockOffsetMilliseconds.map { [ComputedSample(value: Double($0) / 1000)] } ?? []
        }
    }

    /// Registers the time of the store's last backup; 0 when there was none.
    func registerBackups(_ lastBackup: @escaping @Sendable () -> UnixSeconds) {
        registry.gauge(
            "deskgate_store_backup_timestamp_seconds",
            "The time at which deskgate store backup last copied the store, in Unix time; 0 when it never has."
        ) { Double(lastBackup().rawValue) }
    }

    func registerListeners(_ servers: [(listener: String, server: Server, settings: ServerSettings)]) {
        // A server retains its routes, which retain the registry.
        let all = servers.map { (listener: $0.listener, server: WeakServer($0.server), settings: $0.settings) }
        registry.gauge("deskgate_http_connections", "Open connections.", labels: ["listener"]) {
            all.compactMap { one in one.server.value.map { ComputedSample(one.listener, value: Double($0.connectionCount)) } }
        }
        registry.gauge(
            "deskgate_http_connections_limit",
            "How many connections may be open; a further one has an idle one closed, or is answered 503.", labels: ["listener"]
        ) { all.map { ComputedSample($0.listener, value: Double($0.settings.connectionLimit)) } }
        registry.gauge("deskgate_http_bodies_bytes", "The memory that bodies over 16 KiB use.", labels: ["listener"]) {
            all.compactMap { one in one.server.value.map { ComputedSample(one.listener, value: Double($0.bodyBytes)) } }
        }
        registry.gauge(
            "deskgate_http_bodies_limit_bytes", "The memory that bodies over 16 KiB may use; beyond it requests are answered 503.",
            labels: ["listener"]
        ) { all.map { ComputedSample($0.listener, value: Double($0.settings.bodyMemory)) } }
    }
}

/// A weak reference: the server is released once the service has stopped.
private struct WeakServer: Sendable {
    private(set) weak var value: Server?

    init(_ server: Server) { value = server }
}
