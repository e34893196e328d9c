import Core
import Testing

@Suite struct BackendReplyTests {
    @Test(arguments: [
        (200, BackendAnswer.allowed, BackendReply.Health.works), (204, .allowed, .works), (299, .allowed, .works),
        (401, .denied, .works), (403, .denied, .works), (404, .denied, .works),
        (302, .undecided(.backendStatus), .works), (304, .undecided(.backendStatus), .works),
        (400, .undecided(.backendStatus), .works), (410, .undecided(.backendStatus), .works),
        (429, .undecided(.backendStatus), .fails), (500, .undecided(.backendStatus), .fails),
        (503, .undecided(.backendStatus), .fails), (999, .undecided(.backendStatus), .fails),
    ])
    func `statuses allow, deny or leave the request undecided`(status: Int, answer: BackendAnswer, health: BackendReply.Health) {
        let reply = BackendReply(status: status, cacheControl: nil)
        #expect(reply.answer == answer)
        #expect(reply.health == health)
        #expect(reply.keepSeconds == nil)
    }

    @Test(
        arguments: [
            ("", nil), ("private", nil), ("public, s-maxage=5", nil), ("max-age=30", 30), ("Max-Age=30", 30), (" max-age = 30 ", 30),
            ("max-age=\"30\"", 30), ("private, max-age=30", 30), ("max-age=30, max-age=20", 20), ("no-store", 0), ("NO-STORE", 0),
            ("no-cache=\"set-cookie\"", 0), ("max-age=60, no-store", 0), ("max-age", 0), ("max-age=", 0), ("max-age=-1", 0),
            ("max-age=1.5", 0), ("max-age=soon", 0), ("max-age=99999999999999999999999", .max), (",,=,;", nil), ("\u{0}\u{e9}", nil),
        ] as [(String, UInt64?)])
    func `Cache-Control limits the lifetime of a response`(value: String, seconds: UInt64?) {
        #expect(BackendReply(status: 200, cacheControl: value).keepSeconds == seconds)
    }

    @Test func `the shorter lifetime applies`() {
        let lifetimes = AnswerLifetimes(positiveSeconds: 60, negativeSeconds: 10)
        func kept(_ status: Int, _ cacheControl: String? = nil) -> UInt64 {
            lifetimes.milliseconds(of: BackendReply(status: status, cacheControl: cacheControl))
        }
        #expect(kept(200) == 60_000)
        #expect(kept(403) == 10_000)
        #expect(kept(200, "max-age=5") == 5000)
        #expect(kept(200, "max-age=3600") == 60_000)
        #expect(kept(403, "max-age=3600") == 10_000)
        #expect(kept(200, "no-store") == 0)
        #expect(kept(500, "max-age=5") == 0)
        #expect(lifetimes.milliseconds(of: BackendReply(.backendTimeout, .fails)) == 0)
        #expect(AnswerLifetimes(positiveSeconds: 0, negativeSeconds: 0).milliseconds(of: BackendReply(status: 200, cacheControl: nil)) == 0)
    }

    @Test(
        arguments: [
            (.error, 1, .undecided(.backendTimeout)), (.deny, 1, .denied(.backendUndecided, keyID: 1)),
            (.allowIfKeyValid, 1, .authorized(keyID: 1, isConfirmed: false)), (.error, nil, .undecided(.backendTimeout)),
            (.deny, nil, .denied(.backendUndecided, keyID: nil)),
            // No key was checked, for any value that the configuration has accepted.
            (.allowIfKeyValid, nil, .undecided(.backendTimeout)),
        ] as [(UndecidedPolicy, UInt32?, Verdict)])
    func `rules decide when it cannot`(rule: UndecidedPolicy, keyID: UInt32?, verdict: Verdict) {
        #expect(rule.verdict(on: .undecided(.backendTimeout), keyID: keyID) == verdict)
        #expect(rule.verdict(on: .allowed, keyID: keyID) == .authorized(keyID: keyID))
        #expect(rule.verdict(on: .denied, keyID: keyID) == .denied(.backendDenied, keyID: keyID))
        #expect(rule.verdict(on: .undecided(.internalError), keyID: keyID) == .undecided(.internalError))
    }
}
