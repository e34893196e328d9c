import Core
import TestSupport
import Testing
import Time

@Suite struct NotifierPauseReporterTests {
    /// A notifier that a test checks second by second.
    private struct Watched {
        var trouble = NotifierPauseReporter()
        var now: UInt64 = 100
        var successes: UInt64 = 0

        mutating func look(after seconds: UInt64 = 0, isStopped: Bool, waiting: Int = 1) -> ConditionStatus {
            now += seconds
            let seen = NotifierPauseReporter.Observation(isStopped: isStopped, successes: successes, waiting: waiting)
            return trouble.status(seen, now: MonotonicMilliseconds(rawValue: now * 1000), OperatorThresholds())
        }
    }

    @Test func `only a long pause is reported`() {
        var watched = Watched()
        #expect(watched.look(isStopped: true) == .unknown)
        #expect(watched.look(after: 59, isStopped: true) == .unknown)
        #expect(watched.look(after: 1, isStopped: true) == .holds)
        #expect(watched.look(after: 3600, isStopped: true) == .holds)
    }

    @Test func `a short pause does not add to the next one`() {
        var watched = Watched()
        for _ in 0..<20 {
            #expect(watched.look(after: 30, isStopped: true) == .unknown)
            #expect(watched.look(after: 29, isStopped: true) == .unknown)
            watched.successes += 1
            #expect(watched.look(after: 1, isStopped: false) == .unknown)
        }
    }

    @Test func `the end is reported after five times paused_seconds without a pause`() {
        var watched = Watched()
        _ = watched.look(isStopped: true)
        #expect(watched.look(after: 60, isStopped: true) == .holds)
        watched.successes += 1
        #expect(watched.look(after: 1, isStopped: false) == .unknown)
        #expect(watched.look(after: 299, isStopped: false) == .unknown)
        #expect(watched.look(after: 1, isStopped: false) == .over(.resolved))
    }

    /// A reload resumes a notifier, but does not prove that it works.
    @Test func `without a success the pause is not over`() {
        var watched = Watched()
        watched.successes = 7
        _ = watched.look(isStopped: true)
        #expect(watched.look(after: 60, isStopped: true) == .holds)
        #expect(watched.look(after: 7200, isStopped: false) == .unknown)
        #expect(watched.look(after: 7200, isStopped: false) == .unknown)
        watched.successes += 1
        #expect(watched.look(after: 1, isStopped: false) == .unknown)
        #expect(watched.look(after: 300, isStopped: false) == .over(.resolved))
    }

    /// After a restart a notifier is not paused until its first attempt has failed.
    @Test func `a new process reports no end without an attempt`() {
        var watched = Watched()
        #expect(watched.look(isStopped: false) == .unknown)
        #expect(watched.look(after: 100_000, isStopped: false) == .unknown)
    }

    @Test func `without waiting or failing deliveries the pause is over`() {
        var watched = Watched()
        #expect(watched.look(isStopped: false, waiting: 0) == .unknown)
        #expect(watched.look(after: 599, isStopped: false, waiting: 0) == .unknown)
        #expect(watched.look(after: 1, isStopped: false, waiting: 0) == .over(.idle))
        #expect(watched.look(after: 1, isStopped: false, waiting: 1) == .unknown, "the time begins anew")
        #expect(watched.look(after: 599, isStopped: false, waiting: 0) == .unknown)
        #expect(watched.look(after: 599, isStopped: false, waiting: 0) == .unknown)
        #expect(watched.look(after: 1, isStopped: false, waiting: 0) == .over(.idle))
    }

    /// The counter of a notifier that was removed and added again restarts at 0, which is no success.
    @Test func `a restarted counter is no success`() {
        var watched = Watched()
        watched.successes = 7
        _ = watched.look(isStopped: true)
        watched.successes = 0
        #expect(watched.look(after: 1, isStopped: false) == .unknown)
        #expect(watched.look(after: 300, isStopped: false) == .unknown)
        watched.successes = 1
        #expect(watched.look(after: 1, isStopped: false) == .unknown)
        #expect(watched.look(after: 300, isStopped: false) == .over(.resolved))
    }

    /// For any sequence of pauses, operators get at most ten pairs an hour.
    @Test(arguments: 0..<20) func `alternating states cause no flood`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (watched, isReported, reported) = (Watched(), false, 0)
        let end = watched.now + 10 * 3600
        while watched.now < end {
            let isStopped = Bool.random(using: &random)
            for _ in 0..<Int.random(in: 1..<80, using: &random) {
                if !isStopped { watched.successes += 1 }
                let status = watched.look(after: 5, isStopped: isStopped)
                if status == .holds, !isReported { (isReported, reported) = (true, reported + 1) }
                if status == .over(.resolved) { isReported = false }
            }
        }
        #expect(reported > 0)
        #expect(reported <= 100)
    }
}
