import TestSupport
import Testing
import Threading

@testable import Observability

struct ConcurrencyTests {
    static let threads = 4
    static let rounds = 100_000

    @Test func `no update is lost`() throws {
        let registry = MetricsRegistry()
        onThreads(Self.threads) { _ in
            let counter = registry.counter("c_total", "", labels: ["l"]).child("x")
            let gauge = registry.gauge("g", "")
            let histogram = registry.histogram("h", "", bounds: [0.001])
            for round in 0..<Self.rounds {
                counter.increment(by: 2)
                gauge.add(round.isMultiple(of: 2) ? 3 : -1)
                histogram.observe(nanoseconds: round.isMultiple(of: 4) ? 2_000_000 : 1_000_000)
            }
        }
        // A quarter of the 400,000 durations are 2 ms, the others 1 ms.
        let samples = lines(registry.render()).filter { !$0.hasPrefix("#") }
        let expected = [
            #"c_total{l="x"} 800000"#, "g 400000", #"h_bucket{le="0.001"} 300000"#, #"h_bucket{le="+Inf"} 400000"#, "h_sum 500",
            "h_count 400000",
        ]
        #expect(samples == expected)
    }

    @Test func `count equals the last bucket while others observe`() throws {
        let registry = MetricsRegistry()
        let histogram = registry.histogram("h", "", bounds: [0.001])
        let observer = startThread {
            for round in 0..<UInt64(Self.rounds) { histogram.observe(nanoseconds: round * 100) }
        }
        for _ in 0..<200 {
            let numbers = lines(registry.render()).dropFirst(2).map { $0.split(separator: " ")[1] }
            #expect(numbers[1] == numbers[3])
        }
        observer.join()
    }

    @Test func `lines of one thread keep their order and stay whole`() throws {
        let pipe = TestPipe()
        let sink = try LogSink(descriptor: pipe.writeEnd, format: .text, now: testTime)
        let logger = Logger(level: .info, sink: sink)
        let received = Monitor<[UInt8]>([])
        let reader = startThread {
            let bytes = pipe.readToEnd()
            received.update { $0 = bytes }
        }
        let other = startThread { for number in 0..<2000 { logger.log(.info, message: "a", fields: ["n": .integer(number)]) } }
        for number in 0..<2000 { logger.log(.info, message: "b", fields: ["n": .integer(number)]) }
        other.join()
        sink.close()
        pipe.closeWriteEnd()
        reader.join()
        pipe.closeReadEnd()
        #expect(sink.droppedLines == 0)
        var last: [String: Int] = [:]
        for line in lines(received.withLock { $0 }) {
            let parts = line.split(separator: " ")
            try #require(parts.count == 4)
            let number = Int(parts[3].dropFirst(2)) ?? -1
            #expect(number == last[String(parts[2]), default: -1] + 1)
            last[String(parts[2])] = number
        }
        #expect(last == ["a": 1999, "b": 1999])
    }
}
