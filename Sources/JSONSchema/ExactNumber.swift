internal import JSON

/// A number of JSON in decimal digits, compared and divided without rounding: ± digits × 10^exponent.
struct ExactNumber: Sendable, Equatable {
    /// Larger than any exponent of a number that a `Double` can represent, so that exponents can be added.
    private static let largestExponent = 1 << 40
    /// The number of digits that always fit into 64 bits.
    private static let maximumDivisorDigits = 19
    private static let maximumZeros = 6

    /// Below zero; false for zero.
    private let isNegative: Bool
    /// From the highest digit on, each 0 to 9, neither the first nor the last one zero; empty for zero.
    private let digits: [UInt8]
    /// The power of ten of the last digit; 0 for zero.
    private let exponent: Int

    private init(isNegative: Bool, digits: ArraySlice<UInt8>, exponent: Int) {
        let whole = digits.drop { $0 == 0 }
        let kept = whole.lastIndex { $0 != 0 }.map { whole[...$0] } ?? []
        self.isNegative = isNegative && !kept.isEmpty
        self.exponent = kept.isEmpty ? 0 : exponent + whole.count - kept.count
        self.digits = Array(kept)
    }

    init(_ integer: Int64) {
        let digits = "\(integer.magnitude)".utf8.map { $0 - UInt8(ascii: "0") }
        self.init(isNegative: integer < 0, digits: digits[...], exponent: 0)
    }

    init(_ number: JSONNumber) {
        let text = number.text.utf8
        let end = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
        let mantissa = text[..<end]
        let fraction = mantissa.firstIndex(of: UInt8(ascii: ".")).map { mantissa[$0...].count - 1 } ?? 0
        let digits = mantissa.compactMap { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? byte - UInt8(ascii: "0") : nil
        }
        self.init(
            isNegative: text.first == UInt8(ascii: "-"), digits: digits[...],
            exponent: Self.exponent(String(text[end...].dropFirst()) ?? "") - fraction)
    }

    /// The number of a value; nil for other values.
    init?(_ value: JSONValue) {
        switch value {
        case .integer(let integer): self.init(integer)
        case .number(let number): self.init(number)
        default: return nil
        }
    }

    private static func exponent(_ text: String) -> Int {
        guard !text.isEmpty else { return 0 }
        let largest = text.utf8.first == UInt8(ascii: "-") ? -largestExponent : largestExponent
        return min(max(Int(text) ?? largest, -largestExponent), largestExponent)
    }

    /// Whether it has no fraction.
    var isInteger: Bool { exponent >= 0 }

    var isZero: Bool { digits.isEmpty }

    var isPositive: Bool { !isNegative && !isZero }

    /// Whether numbers can be multiples of it: it is above zero, and has few enough digits.
    var isDivisor: Bool { isPositive && digits.count <= Self.maximumDivisorDigits }

    /// The same as an `Int64`; nil when it has a fraction or does not fit.
    var int64: Int64? {
        guard isInteger, digits.count + exponent <= 19 else { return nil }
        return Int64("\(isNegative ? "-" : "")\(isZero ? "0" : Self.text(digits[...]))\(Self.zeros(exponent))")
    }

    /// The canonical text of this number. It is written as an integer only if it fits into 64 bits, so that a strict parser accepts it.
    var text: String {
        if let int64 { return "\(int64)" }
        let sign = isNegative ? "-" : ""
        // The number of digits before the decimal point.
        let whole = digits.count + exponent
        switch exponent {
        case ..<0 where whole > 0: return "\(sign)\(Self.text(digits[..<whole])).\(Self.text(digits[whole...]))"
        case ..<0 where whole > -Self.maximumZeros: return "\(sign)0.\(Self.zeros(-whole))\(Self.text(digits[...]))"
        default: return "\(sign)\(Self.text(digits[...]))e\(exponent)"
        }
    }

    private static func text(_ digits: ArraySlice<UInt8>) -> String {
        String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
    }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    static func < (left: Self, right: Self) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isSmallerInMagnitude(than: left) : left.isSmallerInMagnitude(than: right)
    }

    static func <= (left: Self, right: Self) -> Bool { !(right < left) }

    private func isSmallerInMagnitude(than other: Self) -> Bool {
        if isZero || other.isZero { return isZero && !other.isZero }
        let (order, otherOrder) = (digits.count + exponent, other.digits.count + other.exponent)
        // For the same order of magnitude the digits decide; a missing one is a zero.
        return order == otherOrder ? digits.lexicographicallyPrecedes(other.digits) : order < otherOrder
    }

    /// Whether it is an integer multiple of a divisor. Powers of ten are computed modulo the divisor, so that large exponents cost nothing.
    func isMultiple(of divisor: Self) -> Bool {
        if isZero { return true }
        // A multiple has a zero for each power of ten that the divisor has more, but the last digit is not zero.
        let shift = exponent - divisor.exponent
        guard shift >= 0 else { return false }
        let modulus = divisor.digits.reduce(0 as UInt128) { $0 * 10 + UInt128($1) }
        let rest = digits.reduce(0 as UInt128) { ($0 * 10 + UInt128($1)) % modulus }
        return rest * Self.power(shift, modulo: modulus) % modulus == 0
    }

    /// 10^exponent modulo a number of at most 19 digits.
    private static func power(_ exponent: Int, modulo modulus: UInt128) -> UInt128 {
        var (result, base, rest) = (1 % modulus, 10 % modulus, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result = result * base % modulus }
            base = base * base % modulus
            rest >>= 1
        }
        return result
    }
}
