internal import Bytes
package import Crypto

/// A position in a distributed trace: the contents of the header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/).
/// `tracestate`, which belongs to other vendors, is dropped.
package struct TraceContext: Sendable, Hashable {
    /// The header, in lower case as the specification asks.
    package static let header: StaticString = "traceparent"

    /// The trace; never 0.
    package let traceID: UInt128
    /// The span that others continue from; never 0.
    package let spanID: UInt64
    package let isSampled: Bool

    /// Makes a context; an id of 0, which the specification forbids, becomes 1.
    package init(traceID: UInt128, spanID: UInt64, isSampled: Bool) {
        self.traceID = max(1, traceID)
        self.spanID = max(1, spanID)
        self.isSampled = isSampled
    }

    /// Begins a trace; throws when OpenSSL fails.
    package init(from pool: RandomPool, isSampled: Bool) throws(CryptoError) {
        let high = UInt128(try pool.word()) << 64
        self.init(traceID: high | UInt128(try pool.word()), spanID: try pool.word(), isSampled: isSampled)
    }

    /// The context of a span below this one; throws when OpenSSL fails.
    package func child(from pool: RandomPool) throws(CryptoError) -> TraceContext {
        TraceContext(traceID: traceID, spanID: try pool.word(), isSampled: isSampled)
    }

    /// The same context with another decision on whether the trace is recorded.
    package func sampled(_ isSampled: Bool) -> TraceContext {
        TraceContext(traceID: traceID, spanID: spanID, isSampled: isSampled)
    }
}

// The header's value: version, trace, span and flags, in hexadecimal digits with hyphens between them.
extension TraceContext {
    /// The length of the value of version 00, with which every later version begins.
    private static let count = 55
    private static let (trace, span, flags) = (3..<35, 36..<52, 53..<55)
    private static let sampledFlag: UInt8 = 1

    /// Reads the header's value, without the blanks around it. A later version is read as far as version 00 goes (section 4.3).
    ///
    /// Returns nil for an invalid value: then the caller begins a trace of its own, as without the header (section 4.3).
    package init?(traceparent value: Span<UInt8>) {
        guard value.count >= Self.count, let version: UInt8 = Self.number(value, 0..<2), version != 0xFF,
            value.count == Self.count || version > 0 && Self.isHyphen(value, Self.count),
            Self.isHyphen(value, 2), Self.isHyphen(value, 35), Self.isHyphen(value, 52),
            let traceID: UInt128 = Self.number(value, Self.trace), traceID != 0,
            let spanID: UInt64 = Self.number(value, Self.span), spanID != 0, let flags: UInt8 = Self.number(value, Self.flags)
        else { return nil }
        self.init(traceID: traceID, spanID: spanID, isSampled: flags & Self.sampledFlag != 0)
    }

    /// The header's value, of version 00.
    package var traceparent: String { "00-\(traceIDText)-\(spanIDText)-\(isSampled ? "01" : "00")" }

    /// The trace as 32 hexadecimal digits, as logs and tracing systems show it.
    package var traceIDText: String { Self.text(UInt64(traceID >> 64)) + Self.text(UInt64(truncatingIfNeeded: traceID)) }

    /// The span as 16 hexadecimal digits.
    package var spanIDText: String { Self.text(spanID) }

    /// A number of 64 bits as 16 hexadecimal digits in lower case.
    package static func text(_ number: UInt64) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(16)
        for shift in stride(from: 60, through: 0, by: -4) { digits.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: number >> shift))) }
        return String(decoding: digits, as: UTF8.self)
    }

    private static func isHyphen(_ value: Span<UInt8>, _ index: Int) -> Bool { value[index] == UInt8(ascii: "-") }

    /// Returns the number of lower-case hexadecimal digits; nil when one is no digit. The range must not hold more digits than the type.
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
    /// The 25 bytes, the most significant ones of each number first.
    package var bytes: [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: traceID >> (120 - 8 * $0)) }
            + (0..<8).map { UInt8(truncatingIfNeeded: spanID >> (56 - 8 * $0)) } + [isSampled ? Self.sampledFlag : 0]
    }

    /// Reads what `bytes` has written. Nil for anything else: an event without its trace is delivered all the same.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 25 else { return nil }
        let traceID = bytes[..<16].reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
        let spanID = bytes[16..<24].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        guard traceID != 0, spanID != 0 else { return nil }
        self.init(traceID: traceID, spanID: spanID, isSampled: bytes[24] & Self.sampledFlag != 0)
    }
}
