package import Configuration
package import Observability
package import Threading
package import Time

/// Exports the spans that a `Tracer` records, by OTLP over HTTP, while the configuration has a collector.
///
/// Its thread runs from the first configuration with a collector on. Only `stop` waits for it, for a limited time. The owner must call
/// `stop`.
package final class TraceExporter: Sendable {
    /// The maximum wait of a stop for the last export, in milliseconds.
    package static let stopMilliseconds: UInt64 = TimeLimit.milliseconds(2000)
    /// The minimum wait when no time is left, in milliseconds: enough for a collector that works.
    private static let shortestStopMilliseconds: UInt64 = TimeLimit.milliseconds(500)

    /// Returns the maximum number of connections to the collector; 0 without export.
    package static func connectionLimit(of configuration: Configuration) -> Int {
        configuration.traces == nil ? 0 : CollectorLink.connectionLimit
    }

    struct Control: Sendable {
        var settings: Configuration.TraceExport?
        /// When the last export must have ended; nil until the service stops.
        var stopsBy: MonotonicMilliseconds?
    }

    package let tracer: Tracer
    private let control: Monitor<Control>
    private let worker: ExportWorker
    private let thread = Monitor<DedicatedThread?>(nil)

    /// Creates an exporter without a collector.
    /// - Parameters:
    ///   - version: of the product.
    ///   - intervalMilliseconds: the maximum time that a span waits for its batch.
    ///   - instance: names this process among its replicas; called for each export, must not block.
    package init(
        registry: MetricsRegistry, logger: Logger, clocks: Clocks, version: String, intervalMilliseconds: UInt64 = 1000,
        instance: @escaping @Sendable () -> String
    ) {
        let control = Monitor(Control())
        let metrics = TraceMetrics(registry)
        let tracer = Tracer(countingDropped: metrics.dropped, onBatch: { control.update { _ in } })
        self.control = control
        self.tracer = tracer
        worker = ExportWorker(
            queue: tracer.queue, control: control, metrics: metrics, logger: logger, clocks: clocks,
            version: version, intervalMilliseconds: intervalMilliseconds, instance: instance)
    }

    /// Uses the given settings from now on. Waiting spans go to the new collector, or are dropped when there is none. `prepare` must have
    /// been called with these settings.
    package func use(_ settings: Configuration.TraceExport?) {
        tracer.record(sampleRatio: settings?.sampleRatio, isParentBased: settings?.isParentBased == true)
        control.update { $0.settings = settings }
    }

    /// Starts the thread if it is needed and does not run yet; it exports nothing before `use`.
    /// - Throws: when it cannot be started.
    package func prepare(_ settings: Configuration.TraceExport?) throws(ThreadError) {
        guard settings != nil else { return }
        let worker = worker
        try thread.withLock { thread -> Result<Void, ThreadError> in
            guard thread == nil else { return .success(()) }
            do throws(ThreadError) {
                thread = try DedicatedThread { worker.run() }
                return .success(())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Exports waiting spans, if the collector accepts them at once, and ends the thread. Call it once, after the last span has ended.
    /// - Parameter drainMilliseconds: how much time the stop of the service has left.
    package func stop(drainMilliseconds: UInt64 = stopMilliseconds) {
        tracer.record(sampleRatio: nil)
        let time = min(max(drainMilliseconds, Self.shortestStopMilliseconds), Self.stopMilliseconds)
        let end = SystemClock.monotonicMilliseconds() + time
        control.update { $0.stopsBy = end }
        thread.withLock { $0 }?.join()
    }
}
