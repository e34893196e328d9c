import Synchronization

/// A whole number that goes up and down; any thread may change it, without a lock and without an allocation.
///
/// For a value with a fraction, or one that is already counted elsewhere, register a computed gauge instead.
package final class Gauge: MetricChild {
    private let value = Atomic<Int64>(0)
    private let prefix: [UInt8]

    init(_ definition: MetricDefinition, labels: [UInt8]) {
        prefix = PrometheusText.samplePrefix(definition.name, labels: labels)
    }

    /// Replaces the value.
    package func set(_ newValue: Int64) {
        value.store(newValue, ordering: .relaxed)
    }

    /// Adds to the value, or subtracts when the amount is negative; wraps around at the ends of Int64.
    package func add(_ amount: Int64) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// What the gauge stands at; changes running on other threads may or may not be in it.
    package var current: Int64 {
        value.load(ordering: .relaxed)
    }

    /// Appends the gauge's one line of Prometheus text.
    package func appendSamples(to output: inout [UInt8]) {
        output += prefix
        output.append(integer: current)
        output.append(UInt8(ascii: "\n"))
    }
}
