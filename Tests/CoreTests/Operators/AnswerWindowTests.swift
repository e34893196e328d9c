import Core
import Testing
import Time

/// Whether the chat is closed, from the answers of ten minutes.
@Suite struct AnswerWindowTests {
    /// The counters of a process, and a clock.
    private struct Process {
        private var window = AnswerWindow()
        private var counts: [AnswerWindow.Answer: UInt64] = [:]
        private var now: MonotonicMilliseconds = 1_000_000

        mutating func count(_ result: AnswerWindow.Result, _ count: UInt64, app: String = "shop", reason: String = "valid") {
            counts[AnswerWindow.Answer(result, app: app, reason: reason), default: 0] += count
        }

        /// Lets time pass as the watch does, which looks every five seconds.
        mutating func pass(seconds: UInt64 = 5) -> [AnswerWindow.Finding] {
            var findings: [AnswerWindow.Finding] = []
            for _ in 0..<(seconds / 5) {
                now += 5_000
                findings = window.findings(counts, now: now)
            }
            return findings
        }

        mutating func changeConfiguration() { window.doubt(counts, now: now) }

        func hasAllowed(withinSeconds seconds: UInt64) -> Bool { window.hasAllowed(within: seconds * 1000, now: now) }

        mutating func look() -> [AnswerWindow.Finding] { window.findings(counts, now: now) }
    }

    @Test func `whether anybody was let in lately is known`() {
        var process = Process()
        process.count(.denied, 5, reason: "wrong_mac")
        _ = process.pass()
        #expect(!process.hasAllowed(withinSeconds: 60))
        process.count(.authorized, 1)
        _ = process.pass()
        #expect(process.hasAllowed(withinSeconds: 60))
        _ = process.pass(seconds: 60)
        #expect(!process.hasAllowed(withinSeconds: 60))
    }

    @Test(
        arguments: [
            (0, 4, nil), (0, 5, true), (1, 9, nil), (1, 10, true), (9, 81, nil), (9, 82, true), (100, 5, nil),
        ] as [(UInt64, UInt64, Bool?)])
    func `an app is closed when fewer than one in ten are let in`(authorized: UInt64, denied: UInt64, isClosed: Bool?) {
        var process = Process()
        process.count(.authorized, authorized)
        process.count(.denied, denied, reason: "wrong_mac")
        let finding = process.look().first
        #expect(finding?.isClosed == isClosed)
        #expect(isClosed == nil || finding?.kind == .mostDenied)
    }

    @Test func `the most frequent reason is named`() throws {
        var process = Process()
        process.count(.denied, 3, reason: "expired")
        process.count(.denied, 7, reason: "wrong_mac")
        process.count(.authorized, 1)
        let expected = AnswerWindow.Finding(
            .mostDenied, app: "shop", reason: "wrong_mac", count: 10, reasonCount: 7, total: 11, isClosed: true)
        #expect(process.look() == [expected])
    }

    @Test(arguments: [(4, nil), (9, .revoked), (28, .mostDenied)] as [(UInt64, AnswerWindow.Finding.Kind?)])
    func `denials as revoked are found also while others are let in`(_ denied: UInt64, _ kind: AnswerWindow.Finding.Kind?) {
        var process = Process()
        process.count(.authorized, 3)
        process.count(.denied, denied, reason: "revoked")
        #expect(process.look().map(\.kind) == [kind].compactMap(\.self))
    }

    @Test(arguments: [(0, 4, nil), (0, 5, true), (45, 5, false), (46, 5, nil), (1, 9, false), (1, 10, true)] as [(UInt64, UInt64, Bool?)])
    func `authorizations that are not decided are wrong from one in ten on`(authorized: UInt64, undecided: UInt64, isClosed: Bool?) {
        var process = Process()
        process.count(.authorized, authorized)
        process.count(.undecided, undecided, reason: "backend_breaker_open")
        let finding = process.look().first
        #expect(finding?.isClosed == isClosed)
        #expect(isClosed == nil || finding?.kind == .undecided)
    }

    /// A few bad keys are not the reason when the backend is away.
    @Test(
        arguments: [(50, 5, [.undecided]), (5, 5, [.undecided]), (5, 50, [.mostDenied]), (6, 7, [.undecided, .mostDenied])]
            as [(UInt64, UInt64, [AnswerWindow.Finding.Kind])])
    func `most are denied when more are denied than not`(undecided: UInt64, denied: UInt64, kinds: [AnswerWindow.Finding.Kind]) {
        var process = Process()
        process.count(.undecided, undecided, reason: "backend_breaker_open")
        process.count(.denied, denied, reason: "wrong_mac")
        #expect(process.look().map(\.kind) == kinds)
    }

    @Test func `each app is judged by itself`() {
        var process = Process()
        process.count(.authorized, 1000, app: "bank")
        process.count(.denied, 5, app: "shop", reason: "expired")
        #expect(process.look().map(\.app) == ["shop"])
    }

    @Test func `answers count for ten minutes`() {
        var process = Process()
        process.count(.denied, 5, reason: "expired")
        #expect(process.pass().count == 1)
        #expect(process.pass(seconds: 595).count == 1)
        #expect(process.pass() == [])
    }

    @Test func `four denials in ten minutes, again and again, say nothing`() {
        var process = Process()
        for _ in 0..<5 {
            process.count(.denied, 4, reason: "expired")
            #expect(process.pass(seconds: 600) == [])
        }
    }

    @Test func `what was counted before the first look counts`() {
        var process = Process()
        process.count(.undecided, 5, reason: "backend_timeout")
        #expect(process.look().count == 1)
    }

    @Test func `three good answers end it, and the former bad ones count no more`() {
        var process = Process()
        process.count(.undecided, 500, reason: "backend_breaker_open")
        #expect(process.pass().count == 1)
        process.count(.authorized, 2)
        #expect(process.pass().count == 1)
        process.count(.authorized, 1)
        #expect(process.pass() == [])
        process.count(.undecided, 1, reason: "backend_timeout")
        #expect(process.pass() == [], "one failure is no outage")
    }

    /// Otherwise each pause between denials would end what lasts.
    @Test func `good answers among bad ones end nothing`() {
        var process = Process()
        for _ in 0..<20 {
            process.count(.denied, 20, reason: "wrong_mac")
            process.count(.authorized, 1)
            #expect(process.pass().map(\.kind) == [.mostDenied])
        }
    }

    /// An app that works all day is not closed because one user of it tries an old key at night.
    @Test func `the good answers of before stay when the bad ones are dropped`() {
        var process = Process()
        process.count(.denied, 5, reason: "expired")
        _ = process.pass()
        process.count(.authorized, 3)
        #expect(process.pass() == [])
        process.count(.denied, 6, reason: "expired")
        #expect(process.pass() == [])
    }

    @Test func `after a changed configuration one good answer ends the bad ones of its app`() {
        var process = Process()
        process.count(.denied, 50, reason: "wrong_mac")
        process.count(.denied, 50, app: "bank", reason: "wrong_mac")
        #expect(process.pass().map(\.app) == ["bank", "shop"])
        process.changeConfiguration()
        #expect(process.pass().map(\.app) == ["bank", "shop"], "no answer shows yet that the cause was mended")
        process.count(.authorized, 1)
        #expect(process.pass().map(\.app) == ["bank"])
    }

    @Test func `a bad answer after a changed configuration shows that it has repaired nothing`() {
        var process = Process()
        process.count(.denied, 50, reason: "wrong_mac")
        process.changeConfiguration()
        process.count(.denied, 1, reason: "wrong_mac")
        #expect(process.pass().map(\.count) == [51])
        process.count(.authorized, 1)
        #expect(process.pass().map(\.count) == [51])
    }

    @Test func `answers of one moment leave bad ones of before in force`() {
        var process = Process()
        process.count(.denied, 50, reason: "wrong_mac")
        process.changeConfiguration()
        process.count(.denied, 1, reason: "wrong_mac")
        process.count(.authorized, 1)
        #expect(process.pass().map(\.count) == [51])
    }

    @Test func `bad answers that were not taken in yet are of the former configuration`() {
        var process = Process()
        process.count(.denied, 50, reason: "wrong_mac")
        #expect(process.pass().map(\.count) == [50])
        process.count(.denied, 5, reason: "wrong_mac")
        process.changeConfiguration()
        process.count(.authorized, 1)
        #expect(process.pass() == [])
    }

    @Test func `after a changed configuration one good answer of any app ends bad ones without an app`() {
        var process = Process()
        process.count(.denied, 50, app: "", reason: "unknown_app")
        process.count(.refused, 50, app: "", reason: "network")
        process.changeConfiguration()
        process.count(.refused, 1, app: "", reason: "network")
        #expect(process.pass().map(\.kind) == [.unknownApp, .callersRefused])
        process.count(.authorized, 1)
        #expect(process.pass().map(\.kind) == [.callersRefused])
    }

    @Test func `callers that are refused are worse while nobody of the app that they name is let in`() {
        var process = Process()
        process.count(.authorized, 1000, app: "bank")
        process.count(.refused, 20, reason: "signature")
        #expect(
            process.pass() == [
                .init(.callersRefused, app: "shop", reason: "signature", count: 20, reasonCount: 20, total: 20, isClosed: true)
            ])
        process.count(.authorized, 3)
        process.count(.refused, 1, reason: "signature")
        #expect(
            process.pass() == [
                .init(.callersRefused, app: "shop", reason: "signature", count: 21, reasonCount: 21, total: 24, isClosed: false)
            ])
    }

    /// Otherwise a stranger who floods it would keep an outage of the app from being seen, or make one up.
    @Test func `callers that are refused close no app`() {
        var process = Process()
        process.count(.refused, 1000, reason: "signature")
        process.count(.authorized, 5)
        process.count(.denied, 5, reason: "app")
        #expect(process.look().map(\.kind) == [.callersRefused])
    }

    @Test(arguments: [
        (AnswerWindow.Result.denied, "unknown_app", AnswerWindow.Finding.Kind.unknownApp), (.refused, "network", .callersRefused),
        (.undecided, "internal_error", .undecided), (.malformed, "not_a_security_key", .malformed),
    ])
    func `requests without an app are worse while nobody is let in`(
        _ result: AnswerWindow.Result, reason: String, kind: AnswerWindow.Finding.Kind
    ) {
        var process = Process()
        process.count(result, 4, app: "", reason: reason)
        #expect(process.pass() == [])
        process.count(result, 96, app: "", reason: reason)
        #expect(process.pass() == [.init(kind, reason: reason, count: 100, reasonCount: 100, total: 100, isClosed: true)])
        process.count(.authorized, 3)
        let open = process.pass()
        #expect(open == [.init(kind, reason: reason, count: 100, reasonCount: 100, total: 103, isClosed: false)])
        process.count(result, 1, app: "", reason: reason)
        #expect(process.pass().map(\.isClosed) == [true], "three of a hundred are too few")
        process.count(.authorized, 20)
        process.count(result, 1, app: "", reason: reason)
        #expect(process.pass().map(\.isClosed) == [false])
        #expect(process.pass(seconds: 600) == [])
    }
}
