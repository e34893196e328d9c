/// Counters by a value, such as the case of an enum, found without a lock or an allocation.
///
/// The search is linear, so there should be at most a dozen labels. Any thread may count.
package struct LabelledCounters<Label: Equatable & Sendable>: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let label: Label
        @usableFromInline let counter: Counter
    }

    @usableFromInline let entries: [Entry]

    /// Makes a counter for each label; the labels must differ.
    /// - Parameter counter: creates or finds the counter, as `MetricFamily.child` does.
    package init(_ labels: some Sequence<Label>, counter: (Label) -> Counter) {
        entries = labels.map { Entry(label: $0, counter: counter($0)) }
    }

    /// Increments the label's counter.
    /// - Returns: false when the label has no counter.
    @inlinable
    @discardableResult
    package func increment(_ label: Label) -> Bool {
        for index in entries.indices where entries[index].label == label {
            entries[index].counter.increment()
            return true
        }
        return false
    }
}
