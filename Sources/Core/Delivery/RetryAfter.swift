internal import Bytes
package import Time

/// Parses a Retry-After header, RFC 9110 section 10.2.3: seconds or a date.
package enum RetryAfter {
    /// The maximum reported wait: one year. Its sum with a realistic time does not overflow.
    package static let longestMilliseconds: UInt64 = 365 * 86_400_000

    /// Returns the wait from now; 0 for a date in the past, nil for a malformed value. Ignores surrounding spaces and tabs (RFC 9110
    /// section 5.5).
    package static func milliseconds(from value: Span<UInt8>, now: UnixMilliseconds) -> UInt64? {
        let text = value.extracting(rangeInsideBlanks(of: value))
        guard !text.isEmpty else { return nil }
        return delayMilliseconds(text) ?? dateMilliseconds(text, now: now)
    }

    package static func milliseconds(from value: String, now: UnixMilliseconds) -> UInt64? {
        milliseconds(from: value.utf8.span, now: now)
    }

    // Any number of digits is well formed. A value that is too large is treated as the maximum wait.
    private static func delayMilliseconds(_ text: Span<UInt8>) -> UInt64? {
        let maximumSeconds = longestMilliseconds / 1000
        var seconds: UInt64 = 0
        for index in text.indices {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = text[index] else { return nil }
            seconds = min(maximumSeconds, seconds * 10 + UInt64(text[index] - UInt8(ascii: "0")))
        }
        return seconds * 1000
    }

    private static func dateMilliseconds(_ text: Span<UInt8>, now: UnixMilliseconds) -> UInt64? {
        let bytes = Array(copying: text)
        guard let seconds = HTTPDate.unixSeconds(of: bytes, now: now) else { return nil }
        return min(now.remaining(until: seconds.milliseconds), longestMilliseconds)
    }

    private static func rangeInsideBlanks(of value: Span<UInt8>) -> Range<Int> {
        var (start, end) = (0, value.count)
        while start < end, isBlank(value[start]) { start += 1 }
        while start < end, isBlank(value[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
