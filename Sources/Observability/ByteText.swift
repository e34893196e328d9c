internal import Bytes

/// Text is built as bytes, because output is bytes, and one growing array is cheaper than copying Strings.
extension [UInt8] {
    mutating func append(text: String) {
        append(contentsOf: text.utf8)
    }

    mutating func append(integer: some BinaryInteger) {
        append(text: String(integer))
    }

    /// Appends the shortest decimal text that parses to the same number: `0.25`, `5e-05`, `1`, `NaN`, `+Inf`, `-Inf`.
    mutating func append(number: Double) {
        guard number.isFinite else {
            append(text: number.isNaN ? "NaN" : number > 0 ? "+Inf" : "-Inf")
            return
        }
        append(text: number.description)
        if suffix(2).elementsEqual(".0".utf8) { removeLast(2) }
    }

    /// Appends the lowest `digits` hexadecimal digits of a value, in lower case.
    mutating func append(hexadecimal value: UInt32, digits: Int) {
        for position in (0..<digits).reversed() {
            append(Hexadecimal.digit(UInt8(truncatingIfNeeded: value >> UInt32(4 * position))))
        }
    }
}
