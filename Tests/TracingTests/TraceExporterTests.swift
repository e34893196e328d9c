import Core
import Crypto
import JSON
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import Configuration
@testable import Tracing

/// The exporter with a collector on a real socket.
@Suite struct TraceExporterTests {
    private let scratch: TemporaryDirectory
    private let log: TestLog
    private let registry = MetricsRegistry()
    private let exporter: TraceExporter

    init() throws {
        scratch = try TemporaryDirectory()
        log = try TestLog(in: scratch, level: .info)
        exporter = TraceExporter(registry: registry, logger: log.logger, clocks: .system, version: "1.2.3") { "replica-1" }
    }

    private static let patience = Int(WaitLimit.programMilliseconds / 1000)

    private func settings(_ collector: ScriptedServer) -> Configuration.TraceExport {
        Configuration.TraceExport(
            url: collector.url("/v1/traces"),
            headers: [Configuration.TraceExport.Header(name: "X-Tenant", value: SecretBytes(copying: "support".utf8.span))],
            sampleRatio: 1, timeoutSeconds: Self.patience)
    }

    private func export(to collector: ScriptedServer) throws {
        let settings = settings(collector)
        try exporter.prepare(settings)
        exporter.use(settings)
    }

    private func end(_ count: Int) {
        for _ in 0..<count { exporter.tracer.end(exporter.tracer.beginRequest(nil), kind: .server, name: "POST /a", attributes: []) }
    }

    private func count(_ result: String) -> Int {
        let line = String(decoding: registry.render(), as: UTF8.self).split(separator: "\n").first {
            $0.hasPrefix("deskgate_trace_spans_total{result=\"\(result)\"}")
        }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? -1
    }

    private func spanCount(_ request: RecordedRequest) throws -> Int {
        let root = try JSONElement(parsing: request.body.span)
        return root["resourceSpans"]?.elements.first?["scopeSpans"]?.elements.first?["spans"]?.elements.count ?? -1
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.0 408 Request Time-out\r\nConnection: close\r\n\r\n", "\r\n", "x",
    ])
    func `an unsolicited response is ignored`(stray: String) throws {
        let second: [ScriptedStep] = [.readRequest, .respond(400)]
        let first: [ScriptedStep] = [.readRequest, .respond(200, body: "{}"), .awaitRelease, .sendAndAwaitArrival(Array(stray.utf8))]
        let collector = try ScriptedServer(.connections([first + second, second]))
        defer { collector.stop() }
        // Recorded before a collector is set, so that all are in one batch.
        exporter.tracer.record(sampleRatio: 1)
        end(3)
        try export(to: collector)
        #expect(eventually { count("exported") == 3 })
        collector.release()
        #expect(collector.waitForArrivals(1))
        end(1)
        #expect(eventually { count("failed") == 1 })
        #expect(count("exported") == 3)
        #expect(collector.requests.count == 2)
        exporter.stop()
    }

    @Test func `exports recorded spans`() throws {
        let collector = try ScriptedServer(.everyRequest(.respond(200, body: "{}")))
        defer { collector.stop() }
        try export(to: collector)
        end(3)
        #expect(collector.waitForRequests(1))
        let request = try #require(collector.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/v1/traces")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("X-Tenant") == "support")
        #expect(eventually { count("exported") == 3 })
        #expect(try collector.requests.map(spanCount).reduce(0, +) == 3)
        #expect(
            String(decoding: request.body, as: UTF8.self).contains(#"{"key":"service.instance.id","value":{"stringValue":"replica-1"}}"#))
        exporter.stop()
        #expect(count("failed") == 0)
        #expect(count("dropped") == 0)
        #expect(try log.lines() == [])
    }

    @Test func `a full batch does not wait`() throws {
        let collector = try ScriptedServer(.everyRequest(.respond(200)))
        defer { collector.stop() }
        let deferrable = TraceExporter(
            registry: registry, logger: log.logger, clocks: .system, version: "1", intervalMilliseconds: 3_600_000
        ) { "" }
        try deferrable.prepare(settings(collector))
        deferrable.use(settings(collector))
        for requests in 1...2 {
            for _ in 0..<SpanQueue.batchSize {
                deferrable.tracer.end(deferrable.tracer.beginRequest(nil), kind: .server, name: "a", attributes: [])
            }
            #expect(collector.waitForRequests(requests))
        }
        deferrable.tracer.end(deferrable.tracer.beginRequest(nil), kind: .server, name: "a", attributes: [])
        deferrable.stop()
        // A slow thread may find fewer spans at first, and sends them.
        #expect(try collector.requests.map(spanCount).reduce(0, +) == 1025)
        #expect(count("exported") == 1025)
    }

    /// The batch is repeated when the collector requests it, and the log has one line.
    @Test func `a batch is repeated until it is accepted`() throws {
        let collector = try ScriptedServer(
            .requests([[.respond(503, headers: ["Retry-After: 0"])], [.respond(429, headers: ["Retry-After: 0"])], [.respond(200)]]))
        defer { collector.stop() }
        // Recorded before a collector is set, so that both are in one batch.
        exporter.tracer.record(sampleRatio: 1)
        end(2)
        try export(to: collector)
        #expect(collector.waitForRequests(3))
        #expect(eventually { count("exported") == 2 })
        let bodies = collector.requests.map(\.body)
        #expect(bodies.count == 3 && bodies[0] == bodies[1] && bodies[1] == bodies[2])
        exporter.stop()
        #expect(count("failed") == 0)
        let lines = try log.lines()
        #expect(lines.count == 2)
        #expect(lines.first?.contains("traces cannot be exported") == true)
        #expect(lines.first?.contains("reason=status_503") == true)
        #expect(lines.last?.contains("traces are exported again") == true)
    }

    @Test func `a batch is given up when the collector rejects it`() throws {
        let collector = try ScriptedServer(
            .requests([[.awaitRelease, .respond(400, body: "no")], [.respond(200, body: Self.partial)]]))
        defer { collector.stop() }
        exporter.tracer.record(sampleRatio: 1)
        end(2)
        try export(to: collector)
        #expect(collector.waitForRequests(1))
        // During the first batch's request, so that all of these are in the second one.
        end(5)
        collector.release()
        #expect(eventually { count("failed") == 6 })
        exporter.stop()
        #expect(count("exported") == 1)
        #expect(collector.requests.count == 2)
        #expect(try log.lines().count == 1, "it goes on failing")
    }

    private static let partial = #"{"partialSuccess":{"rejectedSpans":"4","errorMessage":"too old"}}"#

    /// Waiting spans are kept up to the queue's limit, and nothing waits for the collector.
    @Test(arguments: [(0, 500), (700, 700), (60_000, 2000)] as [(UInt64, UInt64)])
    func `a collector that hangs delays nothing`(drainMilliseconds: UInt64, least: UInt64) throws {
        let collector = try ScriptedServer(.everyRequest(.hang))
        defer { collector.stop() }
        try export(to: collector)
        // A single span: of several, a slow machine might export only the first ones.
        end(1)
        #expect(collector.waitForRequests(1))
        end(SpanQueue.capacity + 10)
        #expect(count("dropped") == 10)
        let start = SystemClock.monotonicMilliseconds()
        exporter.stop(drainMilliseconds: drainMilliseconds)
        let took = SystemClock.monotonicMilliseconds().elapsed(since: start)
        // At least this long, because a slow machine may take longer.
        #expect(took >= least)
        #expect(took < WaitLimit.milliseconds, "the collector would be waited for longer")
        #expect(count("failed") == 1)
        #expect(count("dropped") == SpanQueue.capacity + 10)
    }

    @Test func `a stop exports waiting spans`() throws {
        let collector = try ScriptedServer(.everyRequest(.respond(200)))
        defer { collector.stop() }
        try export(to: collector)
        end(700)
        exporter.stop()
        #expect(count("exported") == 700)
        end(1)
        #expect(exporter.tracer.queue.count == 0, "nothing is recorded any more")
    }

    @Test func `a reload changes the collector`() throws {
        let (first, second) = (try ScriptedServer(.everyRequest(.respond(200))), try ScriptedServer(.everyRequest(.respond(200))))
        defer {
            first.stop()
            second.stop()
        }
        try export(to: first)
        end(1)
        #expect(eventually { count("exported") == 1 })
        exporter.use(nil)
        end(1)
        #expect(exporter.tracer.queue.count == 0)
        try export(to: second)
        end(1)
        #expect(eventually { count("exported") == 2 })
        #expect(first.requests.count == 1)
        #expect(second.requests.count == 1)
        exporter.stop()
    }

    @Test func `the series exist from the start`() {
        exporter.use(nil)
        exporter.stop()
        #expect(count("exported") == 0)
        #expect(count("dropped") == 0)
        #expect(count("failed") == 0)
    }
}
