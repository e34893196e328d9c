import Testing

@testable import Observability

struct MetricNameTests {
    static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_".utf8)
    static let digits = Array("0123456789".utf8)

    @Test(arguments: UInt8.min...UInt8.max)
    func `the first byte is checked`(_ byte: UInt8) {
        let isLetter = Self.letters.contains(byte)
        #expect(MetricName.isValidMetric([byte]) == (isLetter || byte == UInt8(ascii: ":")))
        #expect(MetricName.isValidLabel([byte]) == isLetter)
    }

    @Test(arguments: UInt8.min...UInt8.max)
    func `later bytes are checked`(_ byte: UInt8) {
        let isLetterOrDigit = (Self.letters + Self.digits).contains(byte)
        #expect(MetricName.isValidMetric([0x61, byte, 0x61]) == (isLetterOrDigit || byte == UInt8(ascii: ":")))
        #expect(MetricName.isValidLabel([0x61, byte, 0x61]) == isLetterOrDigit)
    }

    @Test func `empty and reserved names are rejected`() {
        #expect(!MetricName.isValidMetric([]))
        #expect(!MetricName.isValidLabel([]))
        #expect(!MetricName.isValidLabel("__name".utf8))
        #expect(MetricName.isValidLabel("_name".utf8))
        #expect(MetricName.isValidMetric("__name".utf8))
    }

    @Test func `programming errors trap`() async {
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().counter("a-b", "") }
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().counter("a", "", labels: ["b-c"]) }
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().counter("a", "", labels: ["b", "b"]) }
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().histogram("a", "", labels: ["le"]) }
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().histogram("a", "", bounds: [2, 1]) }
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().histogram("a", "", bounds: [0]) }
        await #expect(processExitsWith: .failure) { _ = MetricsRegistry().counter("a", "", labels: ["b"]).child("1", "2") }
        await #expect(processExitsWith: .success) { _ = MetricsRegistry().counter("a", "", labels: ["b"]).child("1") }
    }

    @Test func `a name of another definition traps`() async {
        await #expect(processExitsWith: .failure) {
            let registry = MetricsRegistry()
            _ = registry.counter("a", "one")
            _ = registry.counter("a", "two")
        }
        await #expect(processExitsWith: .failure) {
            let registry = MetricsRegistry()
            _ = registry.histogram("a", "")
            _ = registry.gauge("a_sum", "")
        }
        await #expect(processExitsWith: .failure) {
            let registry = MetricsRegistry()
            _ = registry.gauge("a", "")
            registry.gauge("a", "") { 1 }
        }
    }
}
