internal import Threading

/// All metrics of one name, told apart by their label values.
///
/// A child lives as long as the registry, so label values must come from small fixed sets (an app, a result, a route),
/// never from a request: how many children there are is the caller's affair.
package final class MetricFamily<Child: MetricChild>: MetricSource {
    let definition: MetricDefinition
    private let header: [UInt8]
    private let make: @Sendable (MetricDefinition, [UInt8]) -> Child
    /// In the order of the label bytes: sorting belongs to the rare lookup, not to every rendering.
    private let children = Monitor<[(labels: [UInt8], child: Child)]>([])

    init(_ definition: MetricDefinition, make: @escaping @Sendable (MetricDefinition, [UInt8]) -> Child) {
        self.definition = definition
        self.make = make
        header = PrometheusText.header(of: definition)
    }

    /// The child with these label values, made on first use; equal values, byte for byte, give the same child.
    ///
    /// Takes a lock and allocates: call it while building, keep what it returns, and use that on the hot path.
    /// Traps unless there is one value for each label, in the order in which the labels were registered.
    package func child(_ labelValues: String...) -> Child {
        let labels = PrometheusText.labels(definition.labelNames, labelValues)
        return children.withLock { children in
            let position = Self.position(of: labels, in: children)
            if position < children.count && children[position].labels == labels { return children[position].child }
            let child = make(definition, labels)
            children.insert((labels, child), at: position)
            return child
        }
    }

    func append(to output: inout [UInt8]) {
        let snapshot = children.withLock { $0 }
        output += header
        for (_, child) in snapshot { child.appendSamples(to: &output) }
    }

    /// Where the labels are, or where they belong, by binary search.
    private static func position(of labels: [UInt8], in children: [(labels: [UInt8], child: Child)]) -> Int {
        var low = 0
        var high = children.count
        while low < high {
            let middle = (low + high) / 2
            if children[middle].labels.lexicographicallyPrecedes(labels) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
