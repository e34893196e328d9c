import Testing
import Time

@testable import Core

/// When far more authorizations are denied than usual.
@Suite struct DenialTrendTests {
    /// An app that a test lets be asked, minute by minute.
    private struct Watched {
        var trend = DenialTrend()
        var now: UInt64 = 1000
        var counts = DenialTrend.Counts(asked: 0, denied: 0)
        var reported: UInt64?

        /// Lets minutes pass, in each of which so many are asked and denied.
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

    @Test func `a jump begins and ends`() {
        var app = Watched()
        #expect(app.pass(minutes: 60, asked: 100, denied: 1).status == .over(.resolved))
        let jump = app.pass(minutes: 1, asked: 100, denied: 60)
        #expect(jump.status == .holds)
        #expect(jump.jump == DenialTrend.Spike(asked: 500, denied: 64, usual: 5))
        #expect(app.pass(minutes: 120, asked: 100, denied: 60).status == .holds, "a flood does not become usual while it lasts")
        #expect(app.pass(minutes: 4, asked: 100, denied: 1).status == .holds)
        #expect(app.pass(minutes: 1, asked: 100, denied: 1).status == .over(.resolved))
    }

    @Test func `what is usual is no jump`() {
        var app = Watched()
        for minutes in 0..<200 {
            #expect(app.pass(minutes: 1, asked: 100, denied: 90).status != .holds, "\(minutes)")
        }
        #expect(app.pass(minutes: 5, asked: 100, denied: 100).status == .over(.resolved))
    }

    @Test func `a new process begins nothing`() {
        var app = Watched()
        #expect(app.pass(minutes: 30, asked: 10, denied: 0).status != .holds)
        #expect(app.pass(minutes: 1, asked: 100, denied: 100).status == .over(.resolved))
        var known = Watched()
        #expect(known.pass(minutes: 35, asked: 10, denied: 0).status != .holds)
        #expect(known.pass(minutes: 1, asked: 100, denied: 100).status == .holds)
    }

    /// It continues with what another process, or the one before, has told.
    @Test func `a new process ends what was reported`() {
        var app = Watched()
        app.reported = 3
        #expect(app.pass(minutes: 5, asked: 100, denied: 0).status == .unknown, "five minutes are not known yet")
        #expect(app.pass(minutes: 1, asked: 100, denied: 0).status == .over(.resolved))
        var still = Watched()
        still.reported = 3
        #expect(still.pass(minutes: 6, asked: 100, denied: 50).status == .holds)
    }

    /// So many a minute, for the window's five minutes.
    @Test(arguments: [(100, 3, false), (100, 5, false), (100, 6, true), (2000, 80, false), (4, 4, true)] as [(UInt64, UInt64, Bool)])
    func `few or a small share are none`(asked: UInt64, denied: UInt64, isJump: Bool) {
        var app = Watched()
        _ = app.pass(minutes: 60, asked: 100, denied: 0)
        #expect(app.pass(minutes: 5, asked: asked, denied: denied).status == (isJump ? .holds : .over(.resolved)))
    }

    @Test func `silence is no jump`() {
        var app = Watched()
        #expect(app.pass(minutes: 180, asked: 0, denied: 0).status == .over(.resolved))
        // Nothing was asked, so nothing is usual.
        #expect(app.pass(minutes: 1, asked: 19, denied: 19).status == .over(.resolved))
        #expect(app.pass(minutes: 1, asked: 1, denied: 1).status == .holds)
    }

    @Test func `what it tells is read`() {
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
