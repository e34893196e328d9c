/// One value of a computed metric, with the label values that it belongs to.
package struct ComputedSample: Sendable {
    let labelValues: [String]
    let value: Double

    /// The value of one child; the label values are in the order in which the labels were registered.
    package init(_ labelValues: String..., value: Double) {
        self.labelValues = labelValues
        self.value = value
    }
}
