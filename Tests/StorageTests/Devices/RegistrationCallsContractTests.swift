import Core
import Storage
import Testing
import Time

@Suite struct RegistrationCallsContractTests {
    private static let start: UnixMilliseconds = 1_000_000
    private static let ann = AppUser(appID: "app", userID: "ann")
    private static let rules = [
        LimitRule(per: .user, max: 3, windowMilliseconds: 10_000), LimitRule(per: .device, max: 2, windowMilliseconds: 5000),
    ]

    @Test(arguments: Backend.allCases) func `each call gets its own result`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let nobody = RegistrationCalls(user: CallTimes(), devices: [CallTimes()])
        #expect(try fixture.store.registrationCalls(of: Self.ann, devices: ["d1"]) == nobody, "also of an app without a row")
        func register(_ device: String, _ elapsed: UInt64, user: String = "ann") throws {
            let payload = try Registration.of(
                "\(device)\(elapsed)", user: user, device: device, at: Self.start + elapsed, rules: Self.rules)
            #expect(try fixture.store.payload(payload) == .registered)
        }
        try register("d1", 0)
        try register("d2", 1000)
        try register("d1", 2000)
        try register("d2", 2500, user: "bob")
        let calls = try fixture.store.registrationCalls(of: Self.ann, devices: ["d2", "none", "d1"])
        func uses(_ times: CallTimes, _ rule: Int, at elapsed: UInt64) -> LimitUse {
            LimitUse(Self.rules[rule], times, now: Self.start + elapsed)
        }
        func reported(_ use: LimitUse) -> String { "\(use.used) of \(use.rule.max), next \(use.nextAt.map { "\($0.rawValue)" } ?? "now")" }
        #expect(reported(uses(calls.user, 0, at: 3000)) == "3 of 3, next 1010000")
        #expect(reported(uses(calls.user, 0, at: 10_500)) == "2 of 3, next now")
        #expect(reported(uses(calls.user, 0, at: 12_000)) == "0 of 3, next now", "a call as old as the window counts no more")
        #expect(reported(uses(calls.devices[0], 1, at: 3000)) == "2 of 2, next 1006000", "whoever was signed in there")
        #expect(reported(uses(calls.devices[1], 1, at: 3000)) == "0 of 2, next now")
        #expect(reported(uses(calls.devices[2], 1, at: 3000)) == "2 of 2, next 1005000")
        #expect(calls == (try fixture.store.registrationCalls(of: Self.ann, devices: ["d2", "none", "d1"])), "asking counts nothing")
        #expect(try fixture.store.registrationCalls(of: AppUser(appID: "app", userID: "an"), devices: []).user == CallTimes())
    }

    @Test(arguments: Backend.allCases) func `any text is a valid name`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let strange = "a\u{0}b\u{1}e\u{301}"
        let payload = try Registration.of("T", app: strange, user: strange, device: strange, at: Self.start, rules: Self.rules)
        #expect(try fixture.store.payload(payload) == .registered)
        let calls = try fixture.store.registrationCalls(of: AppUser(appID: strange, userID: strange), devices: [strange])
        #expect(calls.user.earliest(ofLast: 1) == Self.start && calls.devices[0].earliest(ofLast: 1) == Self.start)
    }
}
