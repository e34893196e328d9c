/// A number of JSON that is not written as a 64-bit integer: it has a fraction or an exponent. It keeps the digits of its text, so that
/// reading and writing preserve it.
package struct JSONNumber: Sendable, Equatable {
    /// The number as RFC 8259 section 6 writes it.
    package let text: String

    /// Writes a finite number with the fewest digits that read back as the same; others trap.
    package init(_ real: Double) {
        precondition(real.isFinite, "JSON has no infinity and no NaN")
        text = "\(real)"
    }

    /// Takes a number out of a JSON text, where `PlainScanner` has read it as `real`.
    init(scanned range: Range<Int>, of json: Span<UInt8>) {
        text = String(decoding: range.map { json[$0] }, as: UTF8.self)
    }

    /// The nearest number of 64 bits.
    package var double: Double { Double(text) ?? .nan }

    /// Whether the nearest number of 64 bits is finite.
    var isFinite: Bool { double.isFinite }
}
