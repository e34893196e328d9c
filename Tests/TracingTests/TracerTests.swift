import Core
import Observability
import TestSupport
import Testing
import Threading

@testable import Tracing

@Suite struct TracerTests {
    private let dropped: Counter
    private let tracer: Tracer
    private let time = Monitor<UInt64>(1000)
    private let batches = Monitor(0)
    private let caller = TraceContext(traceID: 5, spanID: 6, isSampled: true)

    init() {
        dropped = MetricsRegistry().counter("dropped_total", "Dropped.")
        tracer = Tracer(
            countingDropped: dropped, unixNanoseconds: { 7_000_000 }, monotonicNanoseconds: { [time] in time.withLock { $0 } },
            onBatch: { [batches] in batches.withLock { $0 += 1 } })
    }

    private func spans() -> [TraceSpan] { tracer.queue.takeBatch() }

    @Test func `without recording, traces are only passed on`() throws {
        #expect(tracer.beginRequest(nil) == nil)
        let span = try #require(tracer.beginRequest(caller))
        #expect(span.context.traceID == 5)
        #expect(span.context.spanID != 6)
        #expect(span.context.isSampled)
        let own = try #require(tracer.beginLasting(nil))
        #expect(!own.context.isSampled, "nobody records it")
        tracer.end(span, kind: .server, name: "never", attributes: [.text("never", "told")])
        tracer.end(own, kind: .server, name: "never", attributes: [])
        #expect(spans() == [])
    }

    @Test func `a recorded span has its attributes`() throws {
        tracer.record(sampleRatio: 0, isParentBased: true)
        let span = try #require(tracer.beginRequest(caller))
        time.withLock { $0 += 250 }
        tracer.end(span, kind: .client, failure: "timeout", name: "POST", attributes: [.integer("number", 3)])
        let reported = spans()
        #expect(
            reported == [
                TraceSpan(
                    context: span.context, parentID: 6, name: "POST", kind: .client, start: 7_000_000, end: 7_000_250,
                    attributes: [.integer("number", 3), .text("error.type", "timeout")], hasFailed: true)
            ])
    }

    /// The number of recorded traces of a thousand callers, by their sampled flag, the share, and whether callers decide.
    @Test(
        arguments: [
            (true, 0.0, false, 0...0), (true, 0.25, false, 150...350), (true, 1.0, false, 1000...1000), (true, 0.0, true, 1000...1000),
            (true, 0.25, true, 1000...1000), (true, 1.0, true, 1000...1000), (false, 0.0, false, 0...0), (false, 1.0, false, 0...0),
            (false, 0.0, true, 0...0), (false, 1.0, true, 0...0),
        ])
    func `an untrusted sampled flag alone exports nothing`(isSampled: Bool, ratio: Double, isParentBased: Bool, expected: ClosedRange<Int>)
        throws
    {
        tracer.record(sampleRatio: ratio, isParentBased: isParentBased)
        // Small ids are within any share of a tracer that samples by the id.
        let callers = (1...1000).map { TraceContext(traceID: UInt128($0), spanID: 6, isSampled: isSampled) }
        let requests = try callers.map { try #require(tracer.beginRequest($0)) }
        let lasting = try callers.map { try #require(tracer.beginLasting($0)) }
        for (span, caller) in zip(requests, callers) {
            #expect(span.context.traceID == caller.traceID)
            #expect(span.context.isSampled == span.isExported)
        }
        #expect(expected.contains(requests.count { $0.isExported }))
        #expect(requests.map(\.isExported) == lasting.map(\.isExported), "each request of a trace gets the same answer")
        // Spans below a request are recorded with it.
        let children = try requests.map { try #require(tracer.begin(below: $0.context)) }
        #expect(children.map(\.isExported) == requests.map(\.isExported))
    }

    @Test func `the caller's decision is followed`() throws {
        tracer.record(sampleRatio: 1)
        let span = try #require(tracer.beginRequest(caller.sampled(false)))
        #expect(!span.context.isSampled)
        tracer.end(span, kind: .server, name: "never", attributes: [])
        #expect(spans() == [])
        let child = try #require(tracer.begin(below: span.context))
        tracer.end(child, kind: .client, name: "never", attributes: [])
        #expect(spans() == [])
    }

    @Test(arguments: [(0.0, 0...0), (0.25, 150...350), (1.0, 1000...1000)])
    func `a share of Deskgate's own traces is recorded`(ratio: Double, expected: ClosedRange<Int>) {
        tracer.record(sampleRatio: ratio)
        #expect(expected.contains((0..<1000).count { _ in tracer.beginRequest(nil) != nil }))
        #expect(expected.contains((0..<1000).count { _ in tracer.beginLasting(nil)?.context.isSampled ?? false }))
    }

    @Test func `spans beyond the limit are dropped and counted`() throws {
        tracer.record(sampleRatio: 1)
        for _ in 0..<SpanQueue.capacity + 100 { tracer.end(tracer.beginRequest(nil), kind: .server, name: "a", attributes: []) }
        #expect(dropped.current == 100)
        #expect(tracer.queue.count == SpanQueue.capacity)
        #expect(batches.withLock { $0 } == 1, "a batch is announced once")
        #expect((0..<4).map { _ in spans().count } == [512, 512, 512, 512])
        #expect(tracer.queue.count == 0)
        #expect(spans() == [])
        tracer.end(tracer.beginRequest(nil), kind: .server, name: "a", attributes: [])
        tracer.queue.discard()
        #expect(dropped.current == 101)
        #expect(spans() == [])
    }

    @Test func `threads lose no span`() throws {
        tracer.record(sampleRatio: 1)
        let (tracer, taken) = (tracer, Monitor(0))
        let threads = try (0..<4).map { _ in
            try DedicatedThread {
                for _ in 0..<2000 {
                    tracer.end(tracer.beginRequest(nil), kind: .server, name: "a", attributes: [])
                    if tracer.queue.count > 400 { taken.withLock { $0 += tracer.queue.takeBatch().count } }
                }
            }
        }
        for thread in threads { thread.join() }
        taken.withLock { taken in
            while case let batch = tracer.queue.takeBatch(), !batch.isEmpty { taken += batch.count }
        }
        #expect(taken.withLock { $0 } + Int(dropped.current) == 8000)
    }
}
