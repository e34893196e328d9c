package import Synchronization

/// A number that only grows. Any thread may increment it, without a lock and without an allocation.
///
/// Keep the reference: finding it again by its label values takes a lock and allocates.
package final class Counter: MetricChild {
    @usableFromInline let value = Atomic<UInt64>(0)
    private let hidesZero: Atomic<Bool>
    private let prefix: [UInt8]

    init(_ definition: MetricDefinition, labels: [UInt8], hidesZero: Bool = false) {
        self.hidesZero = Atomic(hidesZero)
        prefix = PrometheusText.samplePrefix(definition.name, labels: labels)
    }

    /// Adds to the counter; past 2^64 it restarts at 0, which Prometheus treats as a restart.
    @inlinable
    package func increment(by amount: UInt64 = 1) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The current value; it may or may not include increments that run on other threads at the same time.
    package var current: UInt64 {
        value.load(ordering: .relaxed)
    }

    /// Makes the counter appear even before its first increment.
    package func showZero() {
        hidesZero.store(false, ordering: .relaxed)
    }

    /// Appends the counter's line of Prometheus text, unless it is hidden.
    package func appendSamples(to output: inout [UInt8]) {
        let current = current
        if current == 0, hidesZero.load(ordering: .relaxed) { return }
        output += prefix
        output.append(integer: current)
        output.append(UInt8(ascii: "\n"))
    }
}

/// An integer that goes up and down. Any thread may change it, without a lock and without an allocation.
///
/// For a value with a fraction, or one that is already counted elsewhere, register a computed gauge instead.
package final class Gauge: MetricChild {
    private let value = Atomic<Int64>(0)
    private let prefix: [UInt8]

    init(_ definition: MetricDefinition, labels: [UInt8]) {
        prefix = PrometheusText.samplePrefix(definition.name, labels: labels)
    }

    package func set(_ newValue: Int64) {
        value.store(newValue, ordering: .relaxed)
    }

    /// Adds to the value, or subtracts when the amount is negative; wraps around at the ends of Int64.
    package func add(_ amount: Int64) {
        value.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The current value; it may or may not include changes that run on other threads at the same time.
    package var current: Int64 {
        value.load(ordering: .relaxed)
    }

    package func appendSamples(to output: inout [UInt8]) {
        output += prefix
        output.append(integer: current)
        output.append(UInt8(ascii: "\n"))
    }
}

/// Counts durations in buckets with fixed bounds. Any thread may observe, without a lock, an allocation or floating point.
///
/// Keep the reference: finding it again by its label values takes a lock and allocates.
package final class Histogram: MetricChild {
    /// Upper bounds in seconds for a response from memory: from 50 microseconds to one second.
    package static let defaultBounds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

    /// One of the 32 buckets is for durations beyond every bound.
    static let maximumBounds = 31

    /// Inclusive upper bounds in nanoseconds. Unused elements have the maximum value, so that the search for a bucket need not check for
    /// the end.
    private let bounds: InlineArray<32, UInt64>
    private let buckets: InlineArray<32, Atomic<UInt64>>
    private let totalNanoseconds = Atomic<UInt64>(0)
    private let bucketPrefixes: [[UInt8]]
    private let sumPrefix: [UInt8]
    private let countPrefix: [UInt8]

    init(_ definition: MetricDefinition, labels: [UInt8]) {
        let nanoseconds = Self.nanoseconds(definition.bounds)
        bounds = InlineArray { $0 < nanoseconds.count ? nanoseconds[$0] : UInt64.max }
        buckets = InlineArray { _ in Atomic(0) }
        bucketPrefixes = (definition.bounds + [.infinity]).map { bound in
            var labels = labels
            labels.append(text: labels.isEmpty ? "le=\"" : ",le=\"")
            labels.append(number: bound)
            labels.append(UInt8(ascii: "\""))
            return PrometheusText.samplePrefix(definition.name, suffix: "_bucket", labels: labels)
        }
        sumPrefix = PrometheusText.samplePrefix(definition.name, suffix: "_sum", labels: labels)
        countPrefix = PrometheusText.samplePrefix(definition.name, suffix: "_count", labels: labels)
    }

    /// Counts one duration, in nanoseconds; a duration equal to a bound belongs to that bound's bucket.
    package func observe(nanoseconds: UInt64) {
        var index = 0
        while nanoseconds > bounds[index] { index += 1 }
        buckets[index].wrappingAdd(1, ordering: .relaxed)
        totalNanoseconds.wrappingAdd(nanoseconds, ordering: .relaxed)
    }

    /// Appends the histogram's lines of Prometheus text.
    ///
    /// The count is the sum of the buckets just read, so it equals the bucket `+Inf` even while other threads observe. The sum of the
    /// durations may already include observations that the buckets do not.
    package func appendSamples(to output: inout [UInt8]) {
        var count: UInt64 = 0
        for (index, prefix) in bucketPrefixes.enumerated() {
            count &+= buckets[index].load(ordering: .relaxed)
            output += prefix
            output.append(integer: count)
            output.append(UInt8(ascii: "\n"))
        }
        output += sumPrefix
        output.append(number: Double(totalNanoseconds.load(ordering: .relaxed)) / 1e9)
        output.append(UInt8(ascii: "\n"))
        output += countPrefix
        output.append(integer: count)
        output.append(UInt8(ascii: "\n"))
    }

    private static func nanoseconds(_ bounds: [Double]) -> [UInt64] {
        precondition(bounds.count <= maximumBounds, "a histogram has at most 31 bounds")
        precondition(bounds.allSatisfy { $0 >= 1e-9 && $0 <= 1e9 }, "a bound must be between a nanosecond and 1e9 seconds")
        let nanoseconds = bounds.map { UInt64(($0 * 1e9).rounded()) }
        precondition(zip(nanoseconds, nanoseconds.dropFirst()).allSatisfy(<), "bounds must be in ascending order")
        return nanoseconds
    }
}

/// One member of a family: the samples of one set of label values.
package protocol MetricChild: AnyObject, Sendable {
    /// Appends this child's lines of Prometheus text, each ended by a line feed.
    ///
    /// Called by the registry on the thread that renders, while other threads update the child.
    func appendSamples(to output: inout [UInt8])
}
