import Core
import Testing
import Time

@Suite struct BreakerTests {
    /// The durations of open states with this policy and this generator.
    private static let steps: [UInt64] = [100, 200, 400, 500, 500]
    private static let openTime = RetryPolicy(
        baseMilliseconds: 100, floorMilliseconds: 10, ceilingMilliseconds: 500, retryAfterCeilingMilliseconds: 500)
    private var random = LargestGenerator()

    @Test mutating func `permits all attempts while failures are not consecutive`() {
        var breaker = Breaker(failuresToOpen: 3)
        for _ in 0..<10 {
            fail(&breaker, times: 2, now: 5)
            #expect(breaker.permits(now: 5) == .max)
            let start = breaker.started()
            breaker.succeeded(start)
        }
        #expect(breaker.state == .closed)
        #expect(breaker.nextChange == nil)
    }

    @Test mutating func `opens after ten consecutive failures by default`() {
        var breaker = Breaker()
        fail(&breaker, times: 9, now: 5)
        #expect(breaker.state == .closed)
        fail(&breaker, times: 1, now: 5)
        #expect(breaker.state == .open)
        #expect(breaker.permits(now: 5) == 0)
        #expect(breaker.nextChange == 10_005)
    }

    @Test mutating func `one probe decides`() throws {
        var breaker = opened(at: 1000)
        #expect(breaker.permits(now: 1099) == 0)
        #expect(breaker.state == .open)
        #expect(breaker.nextChange == 1100)
        #expect(breaker.permits(now: 1100) == 1)
        #expect(breaker.state == .halfOpen)
        #expect(breaker.nextChange == nil)
        let probe = breaker.started()
        #expect(breaker.permits(now: 999_999) == 0)
        #expect(breaker.nextChange == nil)
        breaker.succeeded(probe)
        #expect(breaker.permits(now: 1100) == .max)
        #expect(breaker.state == .closed)
    }

    @Test mutating func `stays open longer each time`() {
        var breaker = opened(at: 0)
        var now: UnixMilliseconds = 0
        for step in Self.steps {
            #expect(breaker.nextChange == now + step)
            now += step
            #expect(breaker.permits(now: now) == 1)
            let probe = breaker.started()
            breaker.failed(probe, now: now, random: &random)
        }
        now += 500
        #expect(breaker.permits(now: now) == 1)
        let probe = breaker.started()
        breaker.succeeded(probe)
        fail(&breaker, times: 1, now: now)
        #expect(breaker.state == .closed, "failures from before the success don't count")
        fail(&breaker, times: 2, now: now)
        #expect(breaker.nextChange == now + 100, "the first opening again")
    }

    @Test mutating func `an inconclusive probe is followed by another`() {
        var breaker = opened(at: 0)
        #expect(breaker.permits(now: 100) == 1)
        let probe = breaker.started()
        breaker.inconclusive(probe)
        #expect(breaker.permits(now: 100) == 1)
        #expect(breaker.state == .halfOpen)
    }

    @Test mutating func `an inconclusive outcome does not change a closed breaker`() {
        var breaker = Breaker(failuresToOpen: 3)
        fail(&breaker, times: 2, now: 0)
        let start = breaker.started()
        breaker.inconclusive(start)
        fail(&breaker, times: 1, now: 0)
        #expect(breaker.state == .open)
    }

    /// An attempt from before the opening does not show the provider's present state.
    @Test mutating func `late outcomes change nothing`() {
        var breaker = Breaker(failuresToOpen: 3, openTime: Self.openTime)
        let stragglers = (0..<3).map { _ in breaker.started() }
        fail(&breaker, times: 3, now: 0)
        let open = breaker
        end(stragglers, of: &breaker)
        #expect(breaker == open)
        #expect(breaker.permits(now: 100) == 1)
        let probe = breaker.started()
        let probing = breaker
        end(stragglers, of: &breaker)
        #expect(breaker == probing)
        breaker.succeeded(probe)
        fail(&breaker, times: 2, now: 100)
        let closed = breaker
        end(stragglers + [probe], of: &breaker)
        #expect(breaker == closed)
    }

    @Test mutating func `slows down without opening`() {
        var breaker = Breaker(failuresToOpen: 3)
        let start = breaker.started()
        breaker.slowDown(until: 300, now: 100)
        breaker.slowDown(until: 200, now: 100)
        #expect(breaker.permits(now: 299) == 0)
        #expect(breaker.nextChange == 300)
        #expect(breaker.state == .closed)
        breaker.succeeded(start)
        #expect(breaker.permits(now: 299) == 0, "a late success is no leave to go on")
        #expect(breaker.permits(now: 300) == .max)
        #expect(breaker.nextChange == nil)
        breaker.slowDown(until: 100, now: 300)
        #expect(breaker.permits(now: 300) == .max, "a time in the past is none")
    }

    @Test func `slows down for an hour at most`() {
        var breaker = Breaker()
        breaker.slowDown(until: .max, now: 5)
        #expect(breaker.nextChange == 3_600_005)
        breaker.slowDown(until: .max, now: .max - 1)
        #expect(breaker.nextChange == .max)
        #expect(breaker.permits(now: .max) == .max)
    }

    @Test mutating func `waits for the later of the opening and the slowdown`() {
        for (until, change) in [(50, 100), (150, 150)] as [(UnixMilliseconds, UnixMilliseconds)] {
            var breaker = opened(at: 0)
            breaker.slowDown(until: until, now: 0)
            #expect(breaker.nextChange == change)
            #expect(breaker.permits(now: change - 1) == 0)
            #expect(breaker.permits(now: change) == 1)
        }
    }

    @Test(arguments: [BreakerState.PauseReason.misconfigured, .switchedOff])
    mutating func `pauses until it is resumed`(reason: BreakerState.PauseReason) {
        var breaker = opened(at: 0)
        breaker.pause(reason)
        #expect(breaker.permits(now: .max) == 0)
        #expect(breaker.state == .paused(reason))
        #expect(breaker.pauseReason == reason)
        #expect(breaker.nextChange == nil)
        breaker.resume()
        #expect(breaker.state == .closed)
        #expect(breaker.permits(now: 0) == .max)
        fail(&breaker, times: 2, now: 0)
        let before = breaker
        breaker.resume()
        #expect(breaker == before, "there was no pause")
    }

    @Test mutating func `an outcome from before a resume changes nothing`() {
        var breaker = Breaker(failuresToOpen: 1)
        let starts = [breaker.started(), breaker.started()]
        breaker.pause(.misconfigured)
        breaker.pause(.switchedOff)
        #expect(breaker.state == .paused(.switchedOff))
        breaker.resume()
        end(starts, of: &breaker)
        #expect(breaker.state == .closed)
    }

    @Test func `a slowdown outlasts a pause`() {
        var breaker = Breaker()
        breaker.slowDown(until: 100, now: 0)
        breaker.pause(.misconfigured)
        breaker.resume()
        #expect(breaker.permits(now: 99) == 0)
        #expect(breaker.permits(now: 100) == .max)
    }

    @Test mutating func `a clock set back prolongs no wait`() {
        var breaker = opened(at: 1_000_000)
        #expect(breaker.permits(now: 5) == 0)
        #expect(breaker.nextChange == 105)
        #expect(breaker.permits(now: 104) == 0)
        #expect(breaker.permits(now: 105) == 1)
        breaker.slowDown(until: 1_000_200, now: 1_000_000)
        #expect(breaker.permits(now: 7) == 0)
        #expect(breaker.nextChange == 207)
        #expect(breaker.permits(now: 207) == 1)
    }

    @Test mutating func `a clock set forward only causes an early probe`() {
        var breaker = opened(at: 0)
        #expect(breaker.permits(now: .max) == 1)
        let probe = breaker.started()
        breaker.failed(probe, now: .max, random: &random)
        #expect(breaker.nextChange == .max)
        #expect(breaker.permits(now: 50) == 0)
        #expect(breaker.nextChange == 250)
    }

    @Test mutating func `reports failures`() {
        var breaker = Breaker(failuresToOpen: 3, openTime: Self.openTime)
        #expect(!breaker.isFailing)
        fail(&breaker, times: 1, now: 0)
        #expect(breaker.isFailing)
        #expect(breaker.state == .closed)
        breaker.succeeded(breaker.started())
        #expect(!breaker.isFailing)
        breaker.slowDown(until: 100, now: 0)
        #expect(breaker.isFailing)
        #expect(breaker.permits(now: 100) == .max)
        #expect(breaker.isFailing, "it has not succeeded since")
        breaker.succeeded(breaker.started())
        #expect(!breaker.isFailing)
    }

    /// A breaker that has just opened for the first time, for 100 milliseconds.
    private mutating func opened(at now: UnixMilliseconds) -> Breaker {
        var breaker = Breaker(failuresToOpen: 3, openTime: Self.openTime)
        fail(&breaker, times: 3, now: now)
        return breaker
    }

    private mutating func fail(_ breaker: inout Breaker, times: Int, now: UnixMilliseconds) {
        for _ in 0..<times {
            let start = breaker.started()
            breaker.failed(start, now: now, random: &random)
        }
    }

    private mutating func end(_ starts: [Breaker.Start], of breaker: inout Breaker) {
        for start in starts {
            breaker.failed(start, now: 50, random: &random)
            breaker.inconclusive(start)
            breaker.succeeded(start)
        }
    }
}

/// Always returns the largest number of a range.
struct LargestGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 { .max }
}
