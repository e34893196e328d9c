/// What a family was registered with; two registrations agree when all of it is equal, byte for byte.
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

    /// Traps on a name that Prometheus would refuse, on a label given twice, and on `le`, which belongs to the buckets.
    init(_ kind: Kind, _ name: String, _ help: String, labels: [String], bounds: [Double] = []) {
        self.kind = kind
        self.name = Array(name.utf8)
        self.help = Array(help.utf8)
        self.labelNames = labels.map { Array($0.utf8) }
        self.bounds = bounds
        precondition(MetricName.isValidMetric(name.utf8), "invalid metric name")
        precondition(labelNames.allSatisfy(MetricName.isValidLabel), "invalid label name")
        precondition(Set(labelNames).count == labelNames.count, "label name given twice")
        precondition(kind != .histogram || !labels.contains("le"), "le is the label of a histogram's buckets")
    }

    /// The names of the samples that this family writes, none of which another family may write.
    var sampleNames: [[UInt8]] {
        guard kind == .histogram else { return [name] }
        return [name] + ["_bucket", "_sum", "_count"].map { name + Array($0.utf8) }
    }
}
