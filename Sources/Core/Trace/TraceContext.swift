internal import Bytes
package import Crypto

/// A position in a distributed trace: the header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/). `tracestate`,
/// which belongs to other vendors, is dropped.
package struct TraceContext: Sendable, Hashable {
    /// In lower case, as the specification requires.
    package static let header: StaticString = "traceparent"

    /// Never 0.
    package let traceID: UInt128
    /// The parent of the next span; never 0.
    package let spanID: UInt64
    /// Whether the trace's originator records it.
    package let isSampled: Bool

    /// Replaces an id of 0, which the specification forbids, by 1.
    package init(traceID: UInt128, spanID: UInt64, isSampled: Bool) {
        self.traceID = max(1, traceID)
        self.spanID = max(1, spanID)
        self.isSampled = isSampled
    }

    package init(from pool: RandomPool, isSampled: Bool) throws(CryptoError) {
        let high = UInt128(try pool.word()) << 64
        self.init(traceID: high | UInt128(try pool.word()), spanID: try pool.word(), isSampled: isSampled)
    }

    package func child(from pool: RandomPool) throws(CryptoError) -> TraceContext {
        TraceContext(traceID: traceID, spanID: try pool.word(), isSampled: isSampled)
    }

    package func sampled(_ isSampled: Bool) -> TraceContext {
        TraceContext(traceID: traceID, spanID: spanID, isSampled: isSampled)
    }
}

// The header's value: version, trace, span and flags, in hexadecimal digits separated by hyphens.
extension TraceContext {
    /// The length of a value of version 00; every later version begins with the same fields.
    private static let count = 55
    private static let (trace, span, flags) = (3..<35, 36..<52, 53..<55)
    private static let sampledFlag: UInt8 = 1

    /// Parses the header's trimmed value; of a later version, the fields of version 00 (section 4.3). Nil when malformed: the caller then
    /// begins a new trace (section 4.3).
    package init?(traceparent value: Span<UInt8>) {
        guard value.count >= Self.count, let version: UInt8 = Self.number(value, 0..<2), version != 0xFF,
            value.count == Self.count || version > 0 && Self.isHyphen(value, Self.count),
            Self.isHyphen(value, 2), Self.isHyphen(value, 35), Self.isHyphen(value, 52),
            let traceID: UInt128 = Self.number(value, Self.trace), traceID != 0,
            let spanID: UInt64 = Self.number(value, Self.span), spanID != 0, let flags: UInt8 = Self.number(value, Self.flags)
        else { return nil }
        self.init(traceID: traceID, spanID: spanID, isSampled: flags & Self.sampledFlag != 0)
    }

    /// The header's value in version 00.
    package var traceparent: String { "00-\(traceIDText)-\(spanIDText)-\(isSampled ? "01" : "00")" }

    /// 32 hexadecimal digits, as in logs and tracing systems.
    package var traceIDText: String { Self.text(UInt64(traceID >> 64)) + Self.text(UInt64(truncatingIfNeeded: traceID)) }

    /// 16 hexadecimal digits.
    package var spanIDText: String { Self.text(spanID) }

    /// Returns 16 hexadecimal digits in lower case.
    package static func text(_ number: UInt64) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(16)
        for shift in stride(from: 60, through: 0, by: -4) { digits.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: number >> shift))) }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func isHyphen(_ value: Span<UInt8>, _ index: Int) -> Bool { value[index] == UInt8(ascii: "-") }

    /// Parses lower-case hexadecimal digits; nil when malformed. The range must not have more digits than the type.
    private static func number<Number: FixedWidthInteger>(_ value: Span<UInt8>, _ range: Range<Int>) -> Number? {
        var number: Number = 0
        for index in range {
            switch value[index] {
            case let byte where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"):
                number = number << 4 | Number(byte - UInt8(ascii: "0"))
            case let byte where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"):
                number = number << 4 | Number(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}

// The stored form of a context: 16 bytes of the trace, 8 of the span, and one of flags, as in the header.
extension TraceContext {
    /// 25 bytes, big-endian.
    package var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: traceID >> (120 - 8 * $0)) }
            + (0..<8).map { UInt8(truncatingIfNeeded: spanID >> (56 - 8 * $0)) } + [isSampled ? Self.sampledFlag : 0]
    }

    /// Parses `bytes`; nil when malformed. The event is then delivered without a trace.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 25 else { return nil }
        let traceID = bytes[..<16].reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
        let spanID = bytes[16..<24].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard traceID != 0, spanID != 0 else { return nil }
        self.init(traceID: traceID, spanID: spanID, isSampled: bytes[24] & Self.sampledFlag != 0)
    }
}
