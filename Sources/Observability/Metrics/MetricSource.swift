/// What the registry keeps of a family: its definition, and how to write it.
protocol MetricSource: AnyObject, Sendable {
    var definition: MetricDefinition { get }

    /// Appends the header and every sample, in the order of the samples' label bytes.
    func append(to output: inout [UInt8])
}
