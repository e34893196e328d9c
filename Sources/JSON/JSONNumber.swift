/// A JSON number with a fraction or an exponent. It keeps the digits of its text, so that reading and writing preserve the number.
package struct JSONNumber: Sendable, Equatable {
    /// The number in the format of RFC 8259 section 6.
    package let text: String

    /// Formats a finite number with the fewest digits that parse to the same value. Traps for infinity and NaN.
    package init(_ real: Double) {
        precondition(real.isFinite, "JSON has no infinity and no NaN")
        text = "\(real)"
    }

    /// Copies a number from a JSON text, in which `PlainScanner` has recognized it.
    init(scanned range: Range<Int>, of json: Span<UInt8>) {
        text = String(decoding: range.map { json[$0] }, as: UTF8.self)
    }

    /// The nearest `Double`.
    package var double: Double { Double(text) ?? .nan }

    /// Whether the nearest `Double` is finite.
    var isFinite: Bool { double.isFinite }
}
