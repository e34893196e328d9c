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

    /// Creates a counter for each label; the labels must differ.
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

/// Counters by a number, such as an HTTP status: like `LabelledCounters`, for values that are counted on each request.
// Not generic: the compiler does not specialise generic code of another module, and that made counting cost a third of a microsecond.
package struct NumberedCounters: Sendable {
    private struct Entry {
        let number: Int
        let counter: Counter
    }

    private let entries: [Entry]

    /// Creates a counter for each number; the numbers must differ.
    /// - Parameter counter: creates or finds the counter, as `MetricFamily.child` does.
    package init(_ numbers: some Sequence<Int>, counter: (Int) -> Counter) {
        entries = numbers.map { Entry(number: $0, counter: counter($0)) }
    }

    /// Increments the number's counter.
    /// - Returns: false when the number has no counter.
    @discardableResult
    package func increment(_ number: Int) -> Bool {
        for index in entries.indices where entries[index].number == number {
            entries[index].counter.increment()
            return true
        }
        return false
    }
}
