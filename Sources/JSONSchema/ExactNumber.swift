/// A number of JSON in decimal digits, compared and divided without rounding: ± digits × 10^exponent.
///
/// A real number is what its shortest decimal text says, so that 0.3 is a multiple of 0.1.
struct ExactNumber: Sendable, Equatable {
    /// Below zero; false for zero.
    private let isNegative: Bool
    /// At most 19 decimal digits, the last of them not zero; 0 for zero.
    private let digits: UInt64
    private let exponent: Int

    private init(isNegative: Bool, digits: UInt64, exponent: Int) {
        var (digits, exponent) = (digits, digits == 0 ? 0 : exponent)
        while digits != 0, digits.isMultiple(of: 10) {
            digits /= 10
            exponent += 1
        }
        (self.isNegative, self.digits, self.exponent) = (isNegative && digits != 0, digits, exponent)
    }

    /// An integer.
    init(_ integer: Int64) {
        self.init(isNegative: integer < 0, digits: integer.magnitude, exponent: 0)
    }

    /// A real number, which is finite.
    init(_ real: Double) {
        var (digits, exponent): (UInt64, Int) = (0, 0)
        var isFraction = false
        let parts = real.magnitude.description.split(separator: "e")
        // At most 17 digits, which is what a Double's shortest text has; zeros beyond them are an exponent.
        for byte in parts[0].utf8 {
            guard let digit = byte >= UInt8(ascii: "0") ? UInt64(byte - UInt8(ascii: "0")) : nil else {
                isFraction = true
                continue
            }
            digits = digits * 10 + digit
            if isFraction { exponent -= 1 }
        }
        self.init(isNegative: real < 0, digits: digits, exponent: exponent + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0))
    }

    /// Whether it has no fraction.
    var isInteger: Bool { exponent >= 0 }

    /// Whether it is zero or more.
    var isPositive: Bool { !isNegative && digits > 0 }

    /// The same as an `Int`; nil when it has a fraction or does not fit.
    var int: Int? {
        guard isInteger, exponent < 19, let magnitude = Int(exactly: digits) else { return nil }
        let (product, overflow) = magnitude.multipliedReportingOverflow(by: (0..<exponent).reduce(1) { power, _ in power * 10 })
        return overflow ? nil : isNegative ? -product : product
    }

    /// The one text of this number.
    var text: String {
        let sign = isNegative ? "-" : ""
        guard exponent != 0 else { return "\(sign)\(digits)" }
        let digitCount = "\(digits)".count
        guard exponent > 0, digitCount + exponent <= 19 else { return "\(sign)\(digits)e\(exponent)" }
        return "\(sign)\(digits)\(String(repeating: "0", count: exponent))"
    }

    static func < (left: Self, right: Self) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isSmallerInMagnitude(than: left) : left.isSmallerInMagnitude(than: right)
    }

    static func <= (left: Self, right: Self) -> Bool { !(right < left) }

    private func isSmallerInMagnitude(than other: Self) -> Bool {
        if digits == 0 || other.digits == 0 { return digits == 0 && other.digits != 0 }
        let (order, otherOrder) = ("\(digits)".count + exponent, "\(other.digits)".count + other.exponent)
        guard order == otherOrder else { return order < otherOrder }
        // The same order of magnitude, so the exponents differ by less than the digits of one of them.
        return exponent >= other.exponent
            ? UInt128(digits) * Self.power(exponent - other.exponent) < UInt128(other.digits)
            : UInt128(digits) < UInt128(other.digits) * Self.power(other.exponent - exponent)
    }

    /// Whether it is a whole number of times another one, which is not zero. Powers of ten are taken modulo, so that exponents cost nothing.
    func isMultiple(of divisor: Self) -> Bool {
        if digits == 0 { return true }
        let shift = exponent - divisor.exponent
        let modulus = UInt128(divisor.digits)
        if shift >= 0 { return UInt128(digits) % modulus * Self.power(shift, modulo: modulus) % modulus == 0 }
        return -shift < 20 && UInt128(digits).isMultiple(of: modulus * Self.power(-shift))
    }

    /// 10^exponent, of at most 19.
    private static func power(_ exponent: Int) -> UInt128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }

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
