/// Which names a metric and a label may have.
///
/// Source: Prometheus, "Metric and label naming" and the data model: `[a-zA-Z_:][a-zA-Z0-9_:]*` for metrics,
/// `[a-zA-Z_][a-zA-Z0-9_]*` for labels; labels that begin with two underscores belong to Prometheus itself.
enum MetricName {
    static func isValidMetric(_ name: some Sequence<UInt8>) -> Bool {
        isValid(name) { isLetter($0) || $0 == UInt8(ascii: ":") }
    }

    static func isValidLabel(_ name: some Sequence<UInt8>) -> Bool {
        isValid(name, isLetter) && !name.starts(with: "__".utf8)
    }

    private static func isValid(_ name: some Sequence<UInt8>, _ canStart: (UInt8) -> Bool) -> Bool {
        var isEmpty = true
        for byte in name {
            guard canStart(byte) || (!isEmpty && isDigit(byte)) else { return false }
            isEmpty = false
        }
        return !isEmpty
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
