/// One member of a family: the samples of one set of label values.
package protocol MetricChild: AnyObject, Sendable {
    /// Appends this child's lines of Prometheus text, each ended by a line feed.
    ///
    /// Called by the registry on the thread that renders, while other threads update the child.
    func appendSamples(to output: inout [UInt8])
}
