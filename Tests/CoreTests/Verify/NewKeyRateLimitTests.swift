import Core
import Testing
import Time

@Suite struct NewKeyRateLimitTests {
    private var rateLimits = NewKeyRateLimit()

    /// Starts calls and makes them fail, `count` times.
    /// - Returns: the results of the failures, in order.
    private mutating func fail(_ count: Int, now: MonotonicMilliseconds = 0) -> [Bool] {
        (0..<count).map { _ in
            rateLimits.started(now: now)
            return rateLimits.failed(now: now)
        }
    }

    @Test(arguments: [(0, true), (1, true), (4, true), (5, false), (6, false), (50, false)])
    mutating func `five failures in a row begin the rate limit`(failures: Int, permits: Bool) {
        _ = fail(failures)
        #expect(rateLimits.permits(now: 0) == permits)
    }

    @Test(arguments: [(0, false), (99, false), (100, true), (1_000_000, true)] as [(UInt64, Bool)])
    mutating func `a call may start each tenth of a second`(milliseconds: UInt64, permits: Bool) {
        _ = fail(5, now: 1000)
        #expect(rateLimits.permits(now: MonotonicMilliseconds(rawValue: 1000 + milliseconds)) == permits)
    }

    /// Users behind a junk key must not wait until a backend that hangs has timed out.
    @Test mutating func `running calls delay no start`() {
        _ = fail(5)
        for start: MonotonicMilliseconds in [100, 200, 300] {
            #expect(rateLimits.permits(now: start))
            rateLimits.started(now: start)
            #expect(!rateLimits.permits(now: start))
        }
    }

    @Test mutating func `a success ends the rate limit and resets the count`() {
        _ = fail(9)
        rateLimits.succeeded()
        #expect(rateLimits.permits(now: 0))
        _ = fail(4)
        #expect(rateLimits.permits(now: 0))
        _ = fail(1)
        #expect(!rateLimits.permits(now: 0))
    }

    @Test mutating func `the start of the limit is reported once`() {
        #expect(fail(7) == [false, false, false, false, true, false, false])
        rateLimits.succeeded()
        #expect(fail(7, now: 59_999) == Array(repeating: false, count: 7))
        rateLimits.succeeded()
        #expect(fail(5, now: 119_999) == [false, false, false, false, true])
    }

    @Test(arguments: [(0, true), (59_999, true), (60_000, false)] as [(UInt64, Bool)])
    mutating func `the limit is shown for a minute`(milliseconds: UInt64, isShown: Bool) {
        _ = fail(5, now: 500)
        rateLimits.succeeded()
        #expect(rateLimits.isShown(now: MonotonicMilliseconds(rawValue: 500 + milliseconds)) == isShown)
    }

    @Test mutating func `fewer failures are not shown`() {
        _ = fail(4)
        #expect(!rateLimits.isShown(now: 0))
    }
}
