import Core
import TestSupport
import Testing
import Time

/// Pauses with their own probes, and a breaker whose notifier is replaced.
@Suite struct BreakerPauseTests {
    private var random = SeededGenerator(seed: 1)
    private var breaker = Breaker(failuresToOpen: 2)

    private mutating func pause(_ now: UnixMilliseconds) {
        breaker.pause(.misconfigured, probeIntervalMilliseconds: 60, now: now)
    }

    private mutating func permits(_ now: UnixMilliseconds) -> Int { breaker.permits(now: now) }

    @Test mutating func `a successful probe after the interval ends the pause`() {
        pause(1000)
        #expect(permits(1059) == 0)
        #expect(breaker.state == .paused(.misconfigured))
        #expect(breaker.nextChange == 1060)
        #expect(permits(1060) == 1)
        let probe = breaker.started()
        #expect(permits(9999) == 0)
        #expect(breaker.nextChange == nil)
        breaker.succeeded(probe)
        #expect(breaker.state == .closed)
        #expect(permits(1060) == .max)
    }

    @Test mutating func `a failed probe is followed by another after the interval`() {
        pause(0)
        for round in 1...5 {
            let end = UnixMilliseconds(round * 60)
            #expect(permits(end - 1) == 0)
            #expect(permits(end) == 1)
            let probe = breaker.started()
            if round.isMultiple(of: 2) {
                breaker.failed(probe, now: end, random: &random)
            } else {
                breaker.inconclusive(probe)
                pause(end)
            }
            #expect(breaker.pauseReason == .misconfigured)
        }
    }

    @Test mutating func `an inconclusive probe is followed by another at once`() {
        pause(0)
        #expect(permits(60) == 1)
        let probe = breaker.started()
        breaker.inconclusive(probe)
        #expect(permits(60) == 1)
        #expect(breaker.pauseReason != nil)
    }

    /// Many attempts run when the first of them finds the credential rejected.
    @Test mutating func `outcomes of earlier attempts change nothing`() {
        let stragglers = (0..<4).map { _ in breaker.started() }
        pause(0)
        breaker.succeeded(stragglers[0])
        #expect(breaker.pauseReason == .misconfigured)
        for straggler in stragglers[1...2] { breaker.failed(straggler, now: 1, random: &random) }
        #expect(permits(60) == 1)
        let probe = breaker.started()
        breaker.inconclusive(stragglers[3])
        pause(61)
        #expect(permits(200) == 0, "the probe is still under way")
        breaker.succeeded(probe)
        #expect(breaker.state == .closed)
    }

    @Test mutating func `a slowdown delays the probe`() {
        pause(0)
        breaker.slowDown(until: 100, now: 0)
        #expect(permits(60) == 0)
        #expect(breaker.nextChange == 100)
        #expect(permits(100) == 1)
    }

    @Test mutating func `resuming cancels the probe`() {
        pause(0)
        #expect(permits(60) == 1)
        let probe = breaker.started()
        breaker.resume()
        #expect(permits(60) == .max)
        breaker.failed(probe, now: 60, random: &random)
        let start = breaker.started()
        breaker.failed(start, now: 60, random: &random)
        #expect(breaker.state == .closed, "the probe's failure did not count")
    }

    @Test mutating func `a clock set back prolongs no pause`() {
        pause(1_000_000)
        #expect(permits(5) == 0)
        #expect(breaker.nextChange == 65)
        #expect(permits(65) == 1)
    }

    @Test mutating func `a replaced notifier starts without a pause`() {
        let before = breaker.started()
        breaker.pause(.switchedOff)
        breaker.slowDown(until: 100, now: 0)
        breaker.reset()
        #expect(permits(0) == .max)
        breaker.failed(before, now: 0, random: &random)
        let start = breaker.started()
        breaker.failed(start, now: 0, random: &random)
        #expect(breaker.state == .closed, "what ran before says nothing")
    }
}
