/// Counters told apart by a value, such as the case of an enum, and found without a lock or an allocation.
///
/// A counter is found by comparing its label with each before it, so there should be a dozen at most. Any thread may count.
package struct LabelledCounters<Label: Equatable & Sendable>: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let label: Label
        @usableFromInline let counter: Counter
    }

    @usableFromInline let entries: [Entry]

    /// Takes a counter for each label; the labels must differ.
    /// - Parameter counter: makes or finds it, as `MetricFamily.child` does.
    package init(_ labels: some Sequence<Label>, counter: (Label) -> Counter) {
        entries = labels.map { Entry(label: $0, counter: counter($0)) }
    }

    /// Increments the label's counter.
    /// - Returns: false when the label has none.
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
