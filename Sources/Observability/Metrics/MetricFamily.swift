internal import Threading

/// All metrics with one name, distinguished by their label values.
///
/// A child exists as long as the registry, so label values must come from small fixed sets (an app, a result, a route), never from a
/// request. The caller is responsible for the number of children.
package final class MetricFamily<Child: MetricChild>: MetricSource {
    let definition: MetricDefinition
    private let header: [UInt8]
    private let make: @Sendable (MetricDefinition, [UInt8]) -> Child
    /// Sorted by the label bytes, because lookups are rarer than renderings.
    private let children = Monitor<[(labels: [UInt8], values: [String], child: Child)]>([])

    init(_ definition: MetricDefinition, make: @escaping @Sendable (MetricDefinition, [UInt8]) -> Child) {
        self.definition = definition
        self.make = make
        header = PrometheusText.header(of: definition)
    }

    /// The child with these label values, created on first use; equal values, byte for byte, return the same child.
    ///
    /// Takes a lock and allocates: call it during setup and keep the result for the hot path. Traps unless there is one value for each
    /// label, in the order in which the labels were registered.
    package func child(_ labelValues: String...) -> Child {
        let labels = PrometheusText.labels(definition.labelNames, labelValues)
        return children.withLock { children in
            let position = Self.position(of: labels, in: children)
            if position < children.count && children[position].labels == labels { return children[position].child }
            let child = make(definition, labels)
            children.insert((labels, labelValues, child), at: position)
            return child
        }
    }

    func append(to output: inout [UInt8]) {
        let snapshot = children.withLock { $0 }
        output += header
        for (_, _, child) in snapshot { child.appendSamples(to: &output) }
    }

    /// All children with their label values, for decisions based on the counts. Takes a lock and copies, like a scrape.
    package var all: [(labelValues: [String], child: Child)] { children.withLock { $0 }.map { ($0.values, $0.child) } }

    /// The index of the labels, or the index at which to insert them, by binary search.
    private static func position(of labels: [UInt8], in children: [(labels: [UInt8], values: [String], child: Child)]) -> Int {
        var low = 0
        var high = children.count
        while low < high {
            let middle = (low + high) / 2
            if children[middle].labels.lexicographicallyPrecedes(labels) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The definition of a family; two definitions are equal when all of their parts are equal, byte for byte.
struct MetricDefinition: Equatable, Sendable {
    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    let kind: Kind
    let name: [UInt8]
    let help: [UInt8]
    let labelNames: [[UInt8]]
    /// Upper bounds of the buckets in seconds; empty unless the kind is a histogram.
    let bounds: [Double]

    /// Traps on a name that Prometheus does not allow, on a repeated label, and on the label `le`, which is reserved for buckets.
    init(_ kind: Kind, name: String, help: String, labels: [String], bounds: [Double] = []) {
        self.kind = kind
        self.name = Array(name.utf8)
        self.help = Array(help.utf8)
        self.labelNames = labels.map { Array($0.utf8) }
        self.bounds = bounds
        precondition(MetricName.isValidMetric(name.utf8), "invalid metric name")
        precondition(labelNames.allSatisfy(MetricName.isValidLabel), "invalid label name")
        precondition(Set(labelNames).count == labelNames.count, "a label name is repeated")
        precondition(kind != .histogram || !labels.contains("le"), "le is the label of a histogram's buckets")
    }

    /// The names of this family's samples, which no other family may use.
    var sampleNames: [[UInt8]] {
        guard kind == .histogram else { return [name] }
        return [name] + ["_bucket", "_sum", "_count"].map { name + Array($0.utf8) }
    }
}

/// The allowed names of metrics and labels.
///
/// Source: Prometheus, "Metric and label naming" and the data model: `[a-zA-Z_:][a-zA-Z0-9_:]*` for metrics, `[a-zA-Z_][a-zA-Z0-9_]*` for
/// labels; labels that begin with two underscores are reserved for Prometheus itself.
enum MetricName {
    static func isValidMetric(_ name: some Sequence<UInt8>) -> Bool {
        isValid(name) { isLetter($0) || $0 == UInt8(ascii: ":") }
    }

    static func isValidLabel(_ name: some Sequence<UInt8>) -> Bool {
        isValid(name, isLetter) && !name.starts(with: "__".utf8)
    }

    private static func isValid(_ name: some Sequence<UInt8>, _ canStart: (UInt8) -> Bool) -> Bool {
        var isEmpty = true
        for byte in name {
            guard canStart(byte) || (!isEmpty && isDigit(byte)) else { return false }
            isEmpty = false
        }
        return !isEmpty
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// A family as the registry stores it: its definition, and a method that renders it.
protocol MetricSource: AnyObject, Sendable {
    var definition: MetricDefinition { get }

    /// Appends the header and all samples, sorted by their label bytes.
    func append(to output: inout [UInt8])
}

/// A family whose samples are computed at each rendering instead of being stored.
final class ComputedFamily: MetricSource {
    let definition: MetricDefinition
    private let header: [UInt8]
    private let samples: Monitor<@Sendable () -> [ComputedSample]>

    init(_ definition: MetricDefinition, samples: @escaping @Sendable () -> [ComputedSample]) {
        self.definition = definition
        self.samples = Monitor(samples)
        header = PrometheusText.header(of: definition)
    }

    /// Replaces the closure, so that objects of a former configuration can be freed after a reload.
    func replaceSamples(_ newSamples: @escaping @Sendable () -> [ComputedSample]) {
        samples.withLock { $0 = newSamples }
    }

    func append(to output: inout [UInt8]) {
        let compute = samples.withLock { $0 }
        // A duplicate series would invalidate the whole scrape, so of samples with equal labels the last one is used.
        var lines: [[UInt8]: Double] = [:]
        for sample in compute() {
            lines[PrometheusText.labels(definition.labelNames, sample.labelValues)] = sample.value
        }
        output += header
        for (labels, value) in lines.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            output += PrometheusText.samplePrefix(definition.name, labels: labels)
            output.append(number: value)
            output.append(UInt8(ascii: "\n"))
        }
    }
}

/// One value of a computed metric, with its label values.
package struct ComputedSample: Sendable {
    let labelValues: [String]
    let value: Double

    /// A sample; the label values are in the order in which the labels were registered.
    package init(_ labelValues: String..., value: Double) {
        self.labelValues = labelValues
        self.value = value
    }
}
