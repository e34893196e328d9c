/// Where the values of the wanted fields are in a decoded body.
package struct FormFields<let count: Int>: Sendable {
    private let names: InlineArray<count, StaticString>
    private var ranges: InlineArray<count, Range<Int>?>

    /// Knows of no value yet.
    init(names: InlineArray<count, StaticString>) {
        self.names = names
        ranges = InlineArray(repeating: nil)
    }

    /// Notes where a value is; throws when the field had one already.
    mutating func set(_ range: Range<Int>, at index: Int) throws(FormError) {
        guard ranges[index] == nil else { throw .duplicate(names[index]) }
        ranges[index] = range
    }

    /// Returns the range of a value in the body that was decoded, by the index of the field's name; throws when the field was missing.
    package func range(at index: Int) throws(FormError) -> Range<Int> {
        guard let range = ranges[index] else { throw .missing(names[index]) }
        return range
    }
}
