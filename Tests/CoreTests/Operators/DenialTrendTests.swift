import Testing
import Time

@testable import Core

/// Detects far more denials than usual.
@Suite struct DenialTrendTests {
    /// An app whose requests a test counts, minute by minute.
    private struct Watched {
        var trend = DenialTrend()
        var now: UInt64 = 1000
        var counts = DenialTrend.Counts(asked: 0, denied: 0)
        var reported: UInt64?

        /// Advances the clock by minutes, with this many requests and denials in each.
        mutating func pass(minutes: Int, asked: UInt64, denied: UInt64) -> (status: ConditionStatus, jump: DenialTrend.Spike) {
            var last: (status: ConditionStatus, jump: DenialTrend.Spike) = (.unknown, DenialTrend.Spike(asked: 0, denied: 0, usual: 0))
            for _ in 0..<minutes {
                now += 60
                counts.asked += asked
                counts.denied += denied
                last = trend.status(counts, now: MonotonicMilliseconds(rawValue: now * 1000), reported: reported, OperatorThresholds())
                if last.status == .holds, reported == nil { reported = last.jump.usual }
            }
            return last
        }
    }

    @Test func `a spike begins and ends`() {
        var app = Watched()
        #expect(app.pass(minutes: 60, asked: 100, denied: 1).status == .over(.resolved))
        let jump = app.pass(minutes: 1, asked: 100, denied: 60)
        #expect(jump.status == .holds)
        #expect(jump.jump == DenialTrend.Spike(asked: 500, denied: 64, usual: 5))
        #expect(app.pass(minutes: 120, asked: 100, denied: 60).status == .holds, "a flood does not become usual while it lasts")
        #expect(app.pass(minutes: 4, asked: 100, denied: 1).status == .holds)
        #expect(app.pass(minutes: 1, asked: 100, denied: 1).status == .over(.resolved))
    }

    @Test func `a usual share of denials is no spike`() {
        var app = Watched()
        for minutes in 0..<200 {
            #expect(app.pass(minutes: 1, asked: 100, denied: 90).status != .holds, "\(minutes)")
        }
        #expect(app.pass(minutes: 5, asked: 100, denied: 100).status == .over(.resolved))
    }

    @Test func `a new process starts without a spike`() {
        var app = Watched()
        #expect(app.pass(minutes: 30, asked: 10, denied: 0).status != .holds)
        #expect(app.pass(minutes: 1, asked: 100, denied: 100).status == .over(.resolved))
        var known = Watched()
        #expect(known.pass(minutes: 35, asked: 10, denied: 0).status != .holds)
        #expect(known.pass(minutes: 1, asked: 100, denied: 100).status == .holds)
    }

    /// It continues with the reported state of another or the previous process.
    @Test func `a new process ends a reported spike`() {
        var app = Watched()
        app.reported = 3
        #expect(app.pass(minutes: 5, asked: 100, denied: 0).status == .unknown, "five minutes are not known yet")
        #expect(app.pass(minutes: 1, asked: 100, denied: 0).status == .over(.resolved))
        var still = Watched()
        still.reported = 3
        #expect(still.pass(minutes: 6, asked: 100, denied: 50).status == .holds)
    }

    /// The numbers are per minute, for the window's five minutes.
    @Test(arguments: [(100, 3, false), (100, 5, false), (100, 6, true), (2000, 80, false), (4, 4, true)] as [(UInt64, UInt64, Bool)])
    func `few denials or a small share are no spike`(asked: UInt64, denied: UInt64, isJump: Bool) {
        var app = Watched()
        _ = app.pass(minutes: 60, asked: 100, denied: 0)
        #expect(app.pass(minutes: 5, asked: asked, denied: denied).status == (isJump ? .holds : .over(.resolved)))
    }

    @Test func `no requests are no spike`() {
        var app = Watched()
        #expect(app.pass(minutes: 180, asked: 0, denied: 0).status == .over(.resolved))
        // Without requests there is no usual share.
        #expect(app.pass(minutes: 1, asked: 19, denied: 19).status == .over(.resolved))
        #expect(app.pass(minutes: 1, asked: 1, denied: 1).status == .holds)
    }

    @Test func `the reported state survives a round trip`() {
        let jump = DenialTrend.Spike(asked: 500, denied: 64, usual: 5)
        let data = jump.data(app: "shop", reason: "wrong_mac")
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"app":"shop","window_seconds":300,"asked":500,"denied":64,"usual":5,"reason":"wrong_mac"}"#)
        #expect(DenialTrend.Spike.usual(in: data) == 5)
        #expect(DenialTrend.Spike.usual(in: Array("{}".utf8)) == 0)
        #expect(DenialTrend.Spike.usual(in: Array("no JSON".utf8)) == 0)
    }
}
