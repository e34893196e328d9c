import Core
import Testing
import Time

struct ProviderClockTests {
    private static let now: UnixMilliseconds = 1_700_000_000_000

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 as UnixSeconds?), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("", nil), ("now", nil), ("1700000000", nil), ("Sun, 06 Nov 1994 08:49:37 +0000", nil),
        (String(repeating: "Sun, ", count: 1000), nil),
    ])
    func `a valid Date header has the time`(header: String, seconds: UnixSeconds?) {
        #expect(ProviderClock.unixSeconds(ofDate: header, now: Self.now) == seconds)
    }

    @Test func `a missing header has no time`() {
        #expect(ProviderClock.unixSeconds(ofDate: nil, now: Self.now) == nil)
    }
}
