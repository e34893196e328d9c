internal import Threading

/// A family whose samples are asked for at each rendering instead of being kept.
final class ComputedFamily: MetricSource {
    let definition: MetricDefinition
    private let header: [UInt8]
    private let samples: Monitor<@Sendable () -> [ComputedSample]>

    init(_ definition: MetricDefinition, samples: @escaping @Sendable () -> [ComputedSample]) {
        self.definition = definition
        self.samples = Monitor(samples)
        header = PrometheusText.header(of: definition)
    }

    /// Asks another closure from now on, so that a reloaded configuration need not keep the old one's objects alive.
    func replaceSamples(_ newSamples: @escaping @Sendable () -> [ComputedSample]) {
        samples.withLock { $0 = newSamples }
    }

    func append(to output: inout [UInt8]) {
        let compute = samples.withLock { $0 }
        // A series written twice spoils the whole scrape, so of equal labels the last sample counts.
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
