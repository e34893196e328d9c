import Testing

@testable import Observability

struct HistogramTests {
    /// The values of the samples in the order of the text: buckets, sum, count.
    func samples(_ registry: MetricsRegistry) -> [String] {
        lines(registry.render()).dropFirst(2).map { String($0.split(separator: " ")[1]) }
    }

    static let cases: [(UInt64, [String])] = [
        (0, ["1", "1", "1", "0", "1"]),
        (999_999, ["1", "1", "1", "0.000999999", "1"]),
        (1_000_000, ["1", "1", "1", "0.001", "1"]),
        (1_000_001, ["0", "1", "1", "0.001000001", "1"]),
        (250_000_000, ["0", "1", "1", "0.25", "1"]),
        (250_000_001, ["0", "0", "1", "0.250000001", "1"]),
        (UInt64.max, ["0", "0", "1", "18446744073.709553", "1"]),
    ]

    @Test(arguments: cases)
    func `bounds are inclusive`(_ nanoseconds: UInt64, _ expected: [String]) {
        let registry = MetricsRegistry()
        registry.histogram("h", "", bounds: [0.001, 0.25]).observe(nanoseconds: nanoseconds)
        #expect(samples(registry) == expected)
    }

    @Test func `every default bound includes its own value`() {
        for (index, bound) in Histogram.defaultBounds.enumerated() {
            let registry = MetricsRegistry()
            registry.histogram("h", "").observe(nanoseconds: UInt64((bound * 1e9).rounded()))
            let buckets = samples(registry).prefix(Histogram.defaultBounds.count + 1)
            #expect(buckets.firstIndex(of: "1") == index)
        }
    }

    @Test func `default buckets have exact labels`() {
        let registry = MetricsRegistry()
        _ = registry.histogram("h", "")
        let bounds = lines(registry.render()).compactMap { line in line.contains("le=") ? line.split(separator: "\"")[1] : nil }
        let expected = "5e-05 0.0001 0.00025 0.0005 0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 1 +Inf"
        #expect(bounds.joined(separator: " ") == expected)
    }

    @Test(arguments: [0, 1, Histogram.maximumBounds])
    func `a histogram accepts a number of bounds within the limits`(_ count: Int) {
        let registry = MetricsRegistry()
        let histogram = registry.histogram("h", "", bounds: (0..<count).map { Double($0 + 1) })
        histogram.observe(nanoseconds: 100_000_000_000)
        #expect(samples(registry) == Array(repeating: "0", count: count) + ["1", "100", "1"])
    }

    @Test func `more bounds than the limit trap`() async {
        await #expect(processExitsWith: .failure) {
            _ = MetricsRegistry().histogram("h", "", bounds: (1...32).map(Double.init))
        }
    }
}
