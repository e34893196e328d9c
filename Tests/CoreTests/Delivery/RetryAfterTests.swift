import Core
import TestSupport
import Testing
import Time

@Suite struct RetryAfterTests {
    /// 2026-11-20 18:20:27.250 UTC.
    private static let now: UnixMilliseconds = 1_795_198_827_250

    @Test(arguments: [
        ("0", 0), ("1", 1000), ("120", 120_000), ("007", 7000), (" 5", 5000), ("5 \t", 5000), ("3600", 3_600_000),
        ("31536000", RetryAfter.longestMilliseconds), ("31536001", RetryAfter.longestMilliseconds),
        ("18446744073709551615", RetryAfter.longestMilliseconds), ("18446744073709551616", RetryAfter.longestMilliseconds),
    ])
    func `parses seconds`(value: String, milliseconds: UInt64) {
        #expect(RetryAfter.milliseconds(from: value, now: Self.now) == milliseconds)
        #expect(RetryAfter.milliseconds(from: value, now: .max) == milliseconds)
    }

    @Test func `parses seconds of any length`() {
        let nines = String(repeating: "9", count: 5000)
        #expect(RetryAfter.milliseconds(from: nines, now: 0) == RetryAfter.longestMilliseconds)
        #expect(RetryAfter.milliseconds(from: nines + "x", now: 0) == nil)
    }

    /// RFC 9110 section 5.6.7: three spellings of one time, here 30 seconds from now.
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "\t Sun Nov 06 08:49:37 1994 ",
    ])
    func `parses the three forms of dates`(value: String) {
        #expect(RetryAfter.milliseconds(from: value, now: 784_111_747_000) == 30_000)
        #expect(RetryAfter.milliseconds(from: value, now: 784_111_776_999) == 1)
        #expect(RetryAfter.milliseconds(from: value, now: 784_111_777_000) == 0)
        #expect(RetryAfter.milliseconds(from: value, now: .max) == 0)
    }

    @Test(arguments: [
        ("Fri, 20 Nov 2026 18:20:28 GMT", 750), ("Fri, 20 Nov 2026 18:21:27 GMT", 59_750), ("Fri, 20 Nov 2026 18:20:27 GMT", 0),
        ("Fri, 20 Nov 2026 18:20:60 GMT", 32_750), ("Sat, 21 Nov 2026 00:00:00 GMT", 20_372_750), ("Friday, 20-Nov-26 18:20:28 GMT", 750),
        ("Fri Nov 20 18:20:28 2026", 750), ("Fri, 31 Dec 9999 23:59:59 GMT", RetryAfter.longestMilliseconds),
        ("Mon, 01 Jan 0001 00:00:00 GMT", 0), ("Sat, 01 Jan 0000 00:00:00 GMT", 0),
        // The name of the day is not checked against the date.
        ("Mon, 20 Nov 2026 18:20:28 GMT", 750),
    ])
    func `parses dates around the present`(value: String, milliseconds: UInt64) {
        #expect(RetryAfter.milliseconds(from: value, now: Self.now) == milliseconds)
    }

    /// The first and last day of each month of four centuries, and the first invalid day.
    @Test func `follows the calendar`() {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var noon: UnixMilliseconds = 43_200_000
        for year in 1970..<2370 {
            let isLeap = year % 400 == 0 || year % 4 == 0 && year % 100 != 0
            for (name, count) in zip(names, [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]) {
                for day in [1, count] {
                    let text = "Mon, \(day < 10 ? "0" : "")\(day) \(name) \(year) 12:00:05 GMT"
                    #expect(RetryAfter.milliseconds(from: text, now: noon + UInt64(day - 1) * 86_400_000) == 5000)
                }
                #expect(RetryAfter.milliseconds(from: "Mon, \(count + 1) \(name) \(year) 12:00:05 GMT", now: noon) == nil)
                noon += UInt64(count) * 86_400_000
            }
        }
    }

    /// In 2026, the year 76 is 50 years ahead, and 77 is in the past; in 2080, 30 is 2130 and 31 is 2031.
    @Test(
        arguments: [
            (1_795_198_827_250, "76", RetryAfter.longestMilliseconds), (1_795_198_827_250, "77", 0),
            (1_795_198_827_250, "27", 31_535_999_750),
            (3_487_000_000_000, "30", RetryAfter.longestMilliseconds), (3_487_000_000_000, "31", 0), (.max, "94", 0),
        ] as [(UnixMilliseconds, String, UInt64)])
    func `completes two-digit years`(now: UnixMilliseconds, year: String, milliseconds: UInt64) {
        #expect(RetryAfter.milliseconds(from: "Friday, 20-Nov-\(year) 18:20:27 GMT", now: now) == milliseconds)
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "1e3", "0x10", "5s", "5,6", "5 6", "soon", "Sun", "Sun,", "٣", "1\u{0}",
        "sun, 06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 2026 08:49:37 GMT", "Sun, 29 Feb 2100 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov   08:49:37 1994", "Sun, 06 Nov 1994  8:49:37 GMT",
        "1994-11-06T08:49:37Z", "Sun, 06 Nov -994 08:49:37 GMT",
    ])
    func `an unreadable Retry-After is ignored`(value: String) {
        #expect(RetryAfter.milliseconds(from: value, now: Self.now) == nil)
    }

    /// Parsing does not trap for any header, and the result is bounded.
    @Test(arguments: 0..<200)
    func `any bytes are parsed`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = Array(
            random.element(of: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "120"]).utf8)
        for _ in 0..<3 {
            let index = Int.random(in: bytes.indices, using: &random)
            bytes[index] =
                Bool.random(using: &random) ? UInt8(truncatingIfNeeded: random.next()) : random.element(of: Array("0129 :-,GMT".utf8))
            let milliseconds = RetryAfter.milliseconds(from: bytes.span, now: UnixMilliseconds(random.next()))
            #expect(milliseconds ?? 0 <= RetryAfter.longestMilliseconds)
        }
    }
}
