package import Synchronization

/// A number that only grows; any thread may increment it, without a lock and without an allocation.
///
/// Keep the handle: finding it again by its label values takes a lock and allocates.
package final class Counter: MetricChild {
    @usableFromInline let value = Atomic<UInt64>(0)
    private let hidesZero: Atomic<Bool>
    private let prefix: [UInt8]

    init(_ definition: MetricDefinition, labels: [UInt8], hidesZero: Bool = false) {
        self.hidesZero = Atomic(hidesZero)
        prefix = PrometheusText.samplePrefix(definition.name, labels: labels)
    }

    /// Adds to the counter; past 2^64 it begins again at 0, which Prometheus takes for a restart.
    @inlinable
    package func increment(by amount: UInt64 = 1) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// What the counter stands at; increments running on other threads may or may not be in it.
    package var current: UInt64 {
        value.load(ordering: .relaxed)
    }

    /// Has the counter show before it has counted anything.
    package func showZero() {
        hidesZero.store(false, ordering: .relaxed)
    }

    /// Appends the counter's one line of Prometheus text, unless it hides.
    package func appendSamples(to output: inout [UInt8]) {
        let current = current
        if current == 0, hidesZero.load(ordering: .relaxed) { return }
        output += prefix
        output.append(integer: current)
        output.append(UInt8(ascii: "\n"))
    }
}
