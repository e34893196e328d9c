internal import Configuration
internal import Core
internal import Crypto
internal import HTTPClient
internal import Notifiers
internal import Observability
internal import Threading
internal import Time

/// The exporter's thread. It sends batches one after the other: when a full batch waits, and at regular intervals.
final class ExportWorker: Sendable {
    /// The maximum number of bytes of an answer that are read: a partial success is short.
    private static let responseBodyLimit = 64 * 1024

    private let queue: SpanQueue
    private let control: Monitor<TraceExporter.Control>
    private let metrics: TraceMetrics
    private let logger: Logger
    private let clocks: Clocks
    private let version: String
    private let intervalMilliseconds: UInt64
    private let instance: @Sendable () -> String

    init(
        queue: SpanQueue, control: Monitor<TraceExporter.Control>, metrics: TraceMetrics, logger: Logger, clocks: Clocks, version: String,
        intervalMilliseconds: UInt64, instance: @escaping @Sendable () -> String
    ) {
        self.queue = queue
        self.control = control
        self.metrics = metrics
        self.logger = logger
        self.clocks = clocks
        self.version = version
        self.intervalMilliseconds = intervalMilliseconds
        self.instance = instance
    }

    func run() {
        var link = CollectorLink()
        while true {
            let now = waitForWork()
            guard now.settings != nil else {
                // Under the lock, which a reload needs before it records for the next collector.
                control.withLock { [queue] in if $0.settings == nil { queue.discard() } }
                if now.stopsBy != nil { break }
                continue
            }
            if now.stopsBy == nil { repeat { export(&link) } while queue.count >= SpanQueue.batchSize && !isStopping }
            // The last batches; a collector that has just failed would only delay the stop.
            while isStopping, !link.isFailing, queue.count > 0 { export(&link) }
            if isStopping { break }
        }
        queue.discard()
        link.close()
    }

    /// Waits until a batch must be exported, or while export is off.
    private func waitForWork() -> TraceExporter.Control {
        let interval = control.withLock { $0.settings } == nil ? nil : intervalMilliseconds as UInt64?
        let control = control.wait(timeoutMilliseconds: interval) { [queue] control in
            let hasWork = control.settings == nil ? interval != nil : interval == nil || queue.count >= SpanQueue.batchSize
            return hasWork || control.stopsBy != nil ? control : nil
        }
        return control ?? self.control.withLock { $0 }
    }

    private var isStopping: Bool { control.withLock { $0.stopsBy } != nil }

    private func export(_ link: inout CollectorLink) {
        let batch = queue.takeBatch()
        guard !batch.isEmpty else { return }
        var random = SystemRandomNumberGenerator()
        for attempt in 1... {
            let outcome = send(batch, &link)
            switch outcome {
            case .taken(let rejected):
                metrics.exported.increment(by: UInt64(batch.count - rejected))
                metrics.failed.increment(by: UInt64(rejected))
                note(rejected == 0 ? nil : "partial_success", &link)
                return
            case .refused(let reason):
                note(reason, &link)
                metrics.failed.increment(by: UInt64(batch.count))
                return
            case .retry(let asked, let reason):
                note(reason, &link)
                let policy = ExportOutcome.policy
                let delay = policy.delayMilliseconds(afterAttempt: attempt, retryAfterMilliseconds: asked, random: &random)
                let isLast = attempt == policy.maximumAttempts
                guard !isLast, !wait(delay) else { return metrics.failed.increment(by: UInt64(batch.count)) }
            }
        }
    }

    /// Waits before a batch is sent again.
    /// - Returns: whether to give up instead, because the service stops, or export is now off.
    private func wait(_ milliseconds: UInt64) -> Bool {
        control.wait(timeoutMilliseconds: milliseconds) { $0.stopsBy != nil || $0.settings == nil ? true : nil } ?? false
    }

    private func send(_ batch: [TraceSpan], _ link: inout CollectorLink) -> ExportOutcome {
        guard let settings = control.withLock({ $0.settings }) else { return .refused(reason: "not_configured") }
        let body = ExportRequest.body(batch, resource: resource, version: version)
        let client: Client
        let request: ClientRequest
        do {
            client = try link.client(settings)
            request = try ClientRequest(
                .post, settings.url, headers: [("Content-Type", "application/json")] + settings.headerTexts, body: body,
                timeoutMilliseconds: settings.timeoutSeconds * 1000, responseBodyLimit: Self.responseBodyLimit)
        } catch {
            return .refused(reason: "request_cannot_be_made")
        }
        let answer = Monitor<Result<ClientResponse, ClientError>?>(nil)
        let control = control
        let call = client.send(request) { result in
            answer.withLock { $0 = result }
            // Under the lock: a thread that has just checked is then waiting already.
            control.update { _ in }
        }
        let result = waitForAnswer(answer)
        guard let result else {
            call?.cancel()
            return .refused(reason: "stopped")
        }
        return ExportOutcome(result, of: batch.count, now: clocks.unixMilliseconds())
    }

    /// Waits for an answer; nil when the service's stop must not wait any longer.
    private func waitForAnswer(_ answer: Monitor<Result<ClientResponse, ClientError>?>) -> Result<ClientResponse, ClientError>? {
        while true {
            let end = control.withLock { $0.stopsBy }
            let now = SystemClock.monotonicMilliseconds()
            let wasStopping = end != nil
            let found = control.wait(timeoutMilliseconds: end.map { now.remaining(until: $0) }) { control -> Bool? in
                answer.withLock { $0 != nil } || (!wasStopping && control.stopsBy != nil) ? true : nil
            }
            if let result = answer.withLock({ $0 }) { return result }
            if wasStopping, found == nil { return nil }
        }
    }

    private var resource: [TraceAttribute] {
        [.text("service.name", "deskgate"), .text("service.version", version), .text("service.instance.id", instance())]
    }

    /// Logs that exports begin to fail, or succeed again.
    private func note(_ failure: String?, _ link: inout CollectorLink) {
        let wasFailing = link.isFailing
        link.isFailing = failure != nil
        guard link.isFailing != wasFailing else { return }
        guard let failure else { return logger.log(.info, message: "traces are exported again") }
        logger.log(
            .warning, message: "traces cannot be exported; spans are dropped when the queue is full",
            fields: [
                "reason": .string(failure), "remedy": .string("check the collector of traces.otlp.url; Deskgate retries by itself"),
            ])
    }
}

/// The connection to the collector, and whether the last export has failed. It belongs to the exporter's thread.
struct CollectorLink {
    /// One batch is sent at a time.
    static let connectionLimit = 1

    var isFailing = false
    private var opened: (authorities: PEMFile?, client: Client)?

    /// The client for these settings; a new one when the certificates that are trusted have changed.
    mutating func client(_ settings: Configuration.TraceExport) throws(ThreadError) -> Client {
        if let opened, opened.authorities == settings.certificateAuthorities { return opened.client }
        close()
        let client = try Client(
            settings: ClientSettings(
                connectionsPerHost: Self.connectionLimit, connectionLimit: Self.connectionLimit, requestLimit: 4,
                certificateAuthorities: settings.certificateAuthorities?.path))
        opened = (settings.certificateAuthorities, client)
        return client
    }

    mutating func close() {
        opened?.client.close()
        opened = nil
    }
}
