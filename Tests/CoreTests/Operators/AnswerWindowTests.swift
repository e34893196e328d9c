import Core
import Testing
import Time

/// Detects a closed chat from the responses of ten minutes.
@Suite struct AnswerWindowTests {
    /// The counters of a process, and a clock.
    private struct Process {
        private var window = AnswerWindow()
        private var counts: [AnswerWindow.Answer: UInt64] = [:]
        private var now: MonotonicMilliseconds = 1_000_000

        mutating func count(_ result: AnswerWindow.Result, _ count: UInt64, app: String = "shop", reason: String = "valid") {
            counts[AnswerWindow.Answer(result, app: app, reason: reason), default: 0] += count
        }

        /// Advances the clock; the watch checks every five seconds.
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

    @Test func `reports whether a user was allowed recently`() {
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
    func `an app is closed when fewer than one in ten requests are allowed`(authorized: UInt64, denied: UInt64, isClosed: Bool?) {
        var process = Process()
        process.count(.authorized, authorized)
        process.count(.denied, denied, reason: "wrong_mac")
        let finding = process.look().first
        #expect(finding?.isClosed == isClosed)
        #expect(isClosed == nil || finding?.kind == .mostDenied)
    }

    @Test func `the most frequent reason is reported`() throws {
        var process = Process()
        process.count(.denied, 3, reason: "expired")
        process.count(.denied, 7, reason: "wrong_mac")
        process.count(.authorized, 1)
        let expected = AnswerWindow.Finding(
            .mostDenied, app: "shop", reason: "wrong_mac", count: 10, reasonCount: 7, total: 11, isClosed: true)
        #expect(process.look() == [expected])
    }

    @Test(arguments: [(4, nil), (9, .revoked), (28, .mostDenied)] as [(UInt64, AnswerWindow.Finding.Kind?)])
    func `revoked keys are reported even if other requests are allowed`(_ denied: UInt64, _ kind: AnswerWindow.Finding.Kind?) {
        var process = Process()
        process.count(.authorized, 3)
        process.count(.denied, denied, reason: "revoked")
        #expect(process.look().map(\.kind) == [kind].compactMap(\.self))
    }

    @Test(arguments: [(0, 4, nil), (0, 5, true), (45, 5, false), (46, 5, nil), (1, 9, false), (1, 10, true)] as [(UInt64, UInt64, Bool?)])
    func `undecided requests are reported from one in ten on`(authorized: UInt64, undecided: UInt64, isClosed: Bool?) {
        var process = Process()
        process.count(.authorized, authorized)
        process.count(.undecided, undecided, reason: "backend_breaker_open")
        let finding = process.look().first
        #expect(finding?.isClosed == isClosed)
        #expect(isClosed == nil || finding?.kind == .undecided)
    }

    /// A few invalid keys are not the cause while the backend is down.
    @Test(
        arguments: [(50, 5, [.undecided]), (5, 5, [.undecided]), (5, 50, [.mostDenied]), (6, 7, [.undecided, .mostDenied])]
            as [(UInt64, UInt64, [AnswerWindow.Finding.Kind])])
    func `denials are reported as the cause if they are the majority`(undecided: UInt64, denied: UInt64, kinds: [AnswerWindow.Finding.Kind])
    {
        var process = Process()
        process.count(.undecided, undecided, reason: "backend_breaker_open")
        process.count(.denied, denied, reason: "wrong_mac")
        #expect(process.look().map(\.kind) == kinds)
    }

    @Test func `each app is evaluated separately`() {
        var process = Process()
        process.count(.authorized, 1000, app: "bank")
        process.count(.denied, 5, app: "shop", reason: "expired")
        #expect(process.look().map(\.app) == ["shop"])
    }

    @Test func `responses are counted for ten minutes`() {
        var process = Process()
        process.count(.denied, 5, reason: "expired")
        #expect(process.pass().count == 1)
        #expect(process.pass(seconds: 595).count == 1)
        #expect(process.pass() == [])
    }

    @Test func `four denials in ten minutes are never reported`() {
        var process = Process()
        for _ in 0..<5 {
            process.count(.denied, 4, reason: "expired")
            #expect(process.pass(seconds: 600) == [])
        }
    }

    @Test func `responses before the first check are counted`() {
        var process = Process()
        process.count(.undecided, 5, reason: "backend_timeout")
        #expect(process.look().count == 1)
    }

    @Test func `three good responses end the problem, and earlier bad ones are no longer counted`() {
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

    /// Otherwise each pause between denials would end a continuing problem.
    @Test func `good responses among bad ones do not end the problem`() {
        var process = Process()
        for _ in 0..<20 {
            process.count(.denied, 20, reason: "wrong_mac")
            process.count(.authorized, 1)
            #expect(process.pass().map(\.kind) == [.mostDenied])
        }
    }

    /// An app that works all day must not be reported as closed because one user tries an old key at night.
    @Test func `earlier good responses stay when the bad ones are dropped`() {
        var process = Process()
        process.count(.denied, 5, reason: "expired")
        _ = process.pass()
        process.count(.authorized, 3)
        #expect(process.pass() == [])
        process.count(.denied, 6, reason: "expired")
        #expect(process.pass() == [])
    }

    @Test func `after a configuration change one good response ends the app's problem`() {
        var process = Process()
        process.count(.denied, 50, reason: "wrong_mac")
        process.count(.denied, 50, app: "bank", reason: "wrong_mac")
        #expect(process.pass().map(\.app) == ["bank", "shop"])
        process.changeConfiguration()
        #expect(process.pass().map(\.app) == ["bank", "shop"], "no answer shows yet that the cause was mended")
        process.count(.authorized, 1)
        #expect(process.pass().map(\.app) == ["bank"])
    }

    @Test func `a bad response after a configuration change keeps the problem`() {
        var process = Process()
        process.count(.denied, 50, reason: "wrong_mac")
        process.changeConfiguration()
        process.count(.denied, 1, reason: "wrong_mac")
        #expect(process.pass().map(\.count) == [51])
        process.count(.authorized, 1)
        #expect(process.pass().map(\.count) == [51])
    }

    @Test func `simultaneous responses keep earlier bad ones`() {
        var process = Process()
        process.count(.denied, 50, reason: "wrong_mac")
        process.changeConfiguration()
        process.count(.denied, 1, reason: "wrong_mac")
        process.count(.authorized, 1)
        #expect(process.pass().map(\.count) == [51])
    }

    @Test func `bad responses before the check belong to the former configuration`() {
        var process = Process()
        process.count(.denied, 50, reason: "wrong_mac")
        #expect(process.pass().map(\.count) == [50])
        process.count(.denied, 5, reason: "wrong_mac")
        process.changeConfiguration()
        process.count(.authorized, 1)
        #expect(process.pass() == [])
    }

    @Test func `after a configuration change one good response of any app ends a problem without an app`() {
        var process = Process()
        process.count(.denied, 50, app: "", reason: "unknown_app")
        process.count(.refused, 50, app: "", reason: "network")
        process.changeConfiguration()
        process.count(.refused, 1, app: "", reason: "network")
        #expect(process.pass().map(\.kind) == [.unknownApp, .callersRefused])
        process.count(.authorized, 1)
        #expect(process.pass().map(\.kind) == [.callersRefused])
    }

    @Test func `rejected callers are severe while no user of their app is allowed`() {
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

    /// Otherwise a flood from an unauthorized client could hide an outage of the app, or fake one.
    @Test func `rejected callers do not close an app`() {
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
    func `requests without an app are severe while no user is allowed`(
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
