import Synchronization

/// How often durations fell under fixed bounds; any thread may observe, without a lock, an allocation or floating point.
///
/// Keep the handle: finding it again by its label values takes a lock and allocates.
package final class Histogram: MetricChild {
    /// Upper bounds in seconds that suit an answer given from memory: from 50 microseconds to one second.
    package static let defaultBounds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]

    /// One bucket is kept for what exceeds every bound.
    static let maximumBounds = 31

    /// Inclusive upper bounds in nanoseconds. Unused places hold the highest number, so that the search for a bucket ends without a check.
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
    /// The count is the sum of the buckets just read, so it equals the bucket `+Inf` even while others observe;
    /// the sum of the durations may be ahead of it by the observations that are under way.
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
        precondition(bounds.allSatisfy { $0 >= 1e-9 && $0 <= 1e9 }, "a bound is between a nanosecond and 1e9 seconds")
        let nanoseconds = bounds.map { UInt64(($0 * 1e9).rounded()) }
        precondition(zip(nanoseconds, nanoseconds.dropFirst()).allSatisfy(<), "bounds are in ascending order")
        return nanoseconds
    }
}
