import Core
import TestSupport
import Testing
import Threading
import Time

@Suite struct LimitContractTests {
    private static let start: UnixMilliseconds = 1_000_000

    @Test(arguments: Backend.allCases, LimitRule.Scope.allCases)
    func `allows again exactly after the window`(_ backend: Backend, _ scope: LimitRule.Scope) throws {
        let store = try backend.store()
        let rule = LimitRule.fiveMinutes(scope)
        func outcome(_ token: String, _ elapsed: UInt64) throws -> Registration.Outcome {
            try store.store.payload(.of(token, at: Self.start + elapsed, rule))
        }
        let limited = Registration.Outcome.limited(rule: rule, until: Self.start + 300_000)
        #expect(try outcome("A", 0) == .registered)
        #expect(try outcome("B", 0) == limited)
        #expect(try outcome("B", 1) == limited)
        #expect(try outcome("B", 299_999) == limited)
        #expect(try outcome("B", 300_000) == .registered)
        #expect(try outcome("C", 599_999) == .limited(rule: rule, until: Self.start + 600_000))
        #expect(try outcome("C", 600_000) == .registered)
        #expect(try store.store.registered() == ["user d1 C"])
        #expect(try store.store.announced() == ["registered user d1 A", "registered user d1 B", "registered user d1 C"])
    }

    /// Whether another device, person, app with the same names, or a name that is equal in Unicode shares the count.
    @Test(arguments: Backend.allCases, LimitRule.Scope.allCases)
    func `counts together the callers that the rule groups`(_ backend: Backend, _ scope: LimitRule.Scope) throws {
        let fixture = try backend.store()
        let rule = LimitRule.fiveMinutes(scope)
        func isAllowed(_ app: String, user: String, device: String) throws -> Bool {
            try fixture.store.payload(.of("\(app)\(user)\(device)", app: app, user: user, device: device, rules: [rule])) == .registered
        }
        #expect(try isAllowed("app", user: "caf\u{E9}", device: "d1"))
        #expect(try isAllowed("app", user: "caf\u{E9}", device: "d2") == (scope == .device))
        #expect(try isAllowed("app", user: "cafe\u{301}", device: "d1") == (scope == .user))
        #expect(try isAllowed("app2", user: "caf\u{E9}", device: "d1") == (scope != .service))
    }

    @Test(arguments: Backend.allCases) func `a rejected call is not counted`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let rules = [LimitRule.fiveMinutes(.user, 2), .fiveMinutes(.device, 3)]
        func outcome(_ token: String, _ elapsed: UInt64) throws -> Registration.Outcome {
            try fixture.store.payload(.of(token, at: Self.start + elapsed, rules: rules))
        }
        #expect(try outcome("A", 0) == .registered)
        #expect(try outcome("B", 100) == .registered)
        for elapsed in 101...110 as ClosedRange<UInt64> {
            #expect(try outcome("C", elapsed) == .limited(rule: rules[0], until: Self.start + 300_000))
        }
        #expect(try fixture.store.device()?.seenAt == Self.start + 100, "and changes nothing")
        #expect(try outcome("C", 300_000) == .registered)
        #expect(try outcome("D", 300_001) == .limited(rule: rules[0], until: Self.start + 300_100))
        #expect(try outcome("D", 300_100) == .registered)
        #expect(try fixture.store.announced().count == 4)
    }

    @Test(arguments: Backend.allCases) func `reports the rule that blocks for longest`(_ backend: Backend) throws {
        let short = LimitRule(per: .user, max: 1, windowMilliseconds: 1000)
        let long = LimitRule(per: .device, max: 2, windowMilliseconds: 10_000)
        let equal = LimitRule(per: .app, max: 2, windowMilliseconds: 10_000)
        for rules in [[short, long, equal], [equal, long, short]] {
            let fixture = try backend.store()
            func outcome(_ token: String, _ elapsed: UInt64) throws -> Registration.Outcome {
                try fixture.store.payload(.of(token, at: Self.start + elapsed, rules: rules))
            }
            #expect(try outcome("A", 0) == .registered)
            #expect(try outcome("B", 999) == .limited(rule: short, until: Self.start + 1000))
            #expect(try outcome("B", 1000) == .registered)
            let first = rules.first { $0.windowMilliseconds == 10_000 } ?? long
            #expect(try outcome("C", 1500) == .limited(rule: first, until: Self.start + 10_000), "the first of those that hold as long")
        }
    }

    @Test(arguments: Backend.allCases) func `several rules of one scope apply together`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let rules = [LimitRule(per: .user, max: 1, windowMilliseconds: 100), LimitRule(per: .user, max: 3, windowMilliseconds: 10_000)]
        var allowed: [UInt64] = []
        for elapsed in stride(from: 0, through: 20_000, by: 50) as StrideThrough<UInt64> {
            let outcome = try fixture.store.payload(.of("T\(elapsed)", at: Self.start + elapsed, rules: rules))
            if outcome == .registered { allowed.append(elapsed) }
        }
        #expect(allowed == [0, 100, 200, 10_000, 10_100, 10_200, 20_000])
    }

    @Test(arguments: Backend.allCases) func `a call without a change is counted`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let rule = LimitRule.fiveMinutes(.user)
        #expect(try fixture.store.payload(.of("A", at: Self.start, rule)) == .registered)
        let limited = Registration.Outcome.limited(rule: rule, until: Self.start + 300_000)
        #expect(try fixture.store.payload(.of("A", at: Self.start + 299_999, rule)) == limited)
        #expect(try fixture.store.device()?.seenAt == Self.start)
        #expect(try fixture.store.payload(.of("A", at: Self.start + 300_000, rule)) == .unchanged)
        #expect(try fixture.store.device()?.seenAt == Self.start + 300_000)
        #expect(
            try fixture.store.payload(.of("A", at: Self.start + 300_001, rule)) == .limited(rule: rule, until: Self.start + 600_000))
        #expect(try fixture.store.announced().count == 1)
    }

    @Test(arguments: Backend.allCases) func `signing out is never rejected and never counted`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let rules = LimitRule.Scope.allCases.map { LimitRule.fiveMinutes($0) }
        func outcome(_ token: String?, _ elapsed: UInt64) throws -> Registration.Outcome {
            try fixture.store.payload(.of(token, at: Self.start + elapsed, rules: rules))
        }
        #expect(try outcome(nil, 0) == .unchanged)
        #expect(try outcome("A", 0) == .registered)
        #expect(try outcome(nil, 1) == .removed)
        #expect(try outcome(nil, 2) == .unchanged)
        #expect(try outcome("A", 3) == .limited(rule: rules[0], until: Self.start + 300_000), "coming back is a registration")
        #expect(try outcome("A", 300_000) == .registered)
    }

    /// Calls recorded before the clock was set back must not lock anyone out.
    @Test(arguments: Backend.allCases) func `discards calls in the future`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let rule = LimitRule.fiveMinutes(.user)
        let tolerance = LimitRule.clockToleranceMilliseconds
        #expect(try fixture.store.payload(.of("A", at: Self.start, rule)) == .registered)
        let until = Registration.Outcome.limited(rule: rule, until: Self.start + 300_000)
        #expect(try fixture.store.payload(.of("B", at: Self.start - tolerance, rule)) == until)
        #expect(try fixture.store.payload(.of("B", at: Self.start - tolerance - 1, rule)) == .registered)
        let again = Registration.Outcome.limited(rule: rule, until: Self.start - tolerance - 1 + 300_000)
        #expect(try fixture.store.payload(.of("C", at: Self.start - tolerance, rule)) == again)
    }

    @Test(arguments: Backend.allCases) func `allows one of many concurrent calls`(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 200)
        let rules = [LimitRule.fiveMinutes(.user), .fiveMinutes(.device, 5)]
        let answers = Monitor<[Registration.Outcome]>([])
        for number in 0..<100 {
            fixture.store.register(try .of("T\(number)", device: "d\(number)", at: Self.start, rules: rules)) { result in
                if let outcome = try? result.get() { answers.update { $0.append(outcome) } }
            }
        }
        let all = try #require(answers.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.count == 100 ? $0 : nil })
        #expect(all.count { $0 == .registered } == 1)
        #expect(all.count { $0 == .limited(rule: rules[0], until: Self.start + 300_000) } == 99)
        #expect(try fixture.store.registered().count == 1)
        #expect(try fixture.store.announced().count == 1)
    }

    /// A sign-out must not allow new registrations. Only an erasure deletes the recorded calls.
    @Test(arguments: Backend.allCases) func `only an erasure deletes a person's calls`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let rules = [LimitRule.fiveMinutes(.user), .fiveMinutes(.device), LimitRule(per: .app, max: 2, windowMilliseconds: 300_000)]
        func outcome(_ token: String, user: String = "user", device: String = "d1") throws -> Registration.Outcome {
            try fixture.store.payload(.of(token, user: user, device: device, at: Self.start, rules: rules))
        }
        #expect(try outcome("A") == .registered)
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: "user", deviceID: "d1"), now: Self.start) == 1)
        #expect(try outcome("A") == .limited(rule: rules[0], until: Self.start + 300_000))
        let ofDevice = try outcome("A", user: "guest")
        #expect(ofDevice == .limited(rule: rules[1], until: Self.start + 300_000), "the device's calls count on for everybody")
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: "user"), now: Self.start) == 0)
        #expect(try outcome("A") == .limited(rule: rules[0], until: Self.start + 300_000))
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: ""), now: Self.start) == 0)
        _ = try fixture.store.erase(AppUser(appID: "app", userID: "user"), now: Self.start, telling: .registry)
        #expect(try outcome("A", device: "d3") == .registered)
        let other = try outcome("B", user: "other", device: "d2")
        #expect(other == .limited(rule: rules[2], until: Self.start + 300_000), "the app's calls count on")
    }

    /// The help desk limits installations: another person who signs in there does not get a separate count.
    @Test(arguments: Backend.allCases) func `a device has one count for all users`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let rules = [LimitRule.fiveMinutes(.user), .fiveMinutes(.device, 5)]
        func outcome(_ number: Int, at elapsed: UInt64) throws -> Registration.Outcome {
            try fixture.store.payload(.of("T", user: "user-\(number)", at: Self.start + elapsed, rules: rules))
        }
        for number in 1...5 { #expect(try outcome(number, at: UInt64(number)) == .registered) }
        #expect(try outcome(6, at: 6) == .limited(rule: rules[1], until: Self.start + 300_001))
        #expect(try outcome(6, at: 300_000) == .limited(rule: rules[1], until: Self.start + 300_001))
        #expect(try outcome(6, at: 300_001) == .registered)
    }

    /// Signing out is never rejected, so it must not reset a count.
    @Test(arguments: Backend.allCases) func `a removed device keeps its count`(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 2)
        let rules = [LimitRule.fiveMinutes(.device)]
        func outcome(_ token: String?, _ device: String, at elapsed: UInt64) throws -> Registration.Outcome {
            try fixture.store.payload(.of(token, device: device, at: Self.start + elapsed, rules: rules))
        }
        #expect(try outcome("A", "d1", at: 0) == .registered)
        #expect(try outcome(nil, "d1", at: 1) == .removed)
        for number in 2...4 { #expect(try outcome(nil, "d\(number)", at: UInt64(number)) == .unchanged) }
        #expect(try outcome("A", "d1", at: 5) == .limited(rule: rules[0], until: Self.start + 300_000))
    }

    @Test(arguments: Backend.allCases) func `calls outside every window are deleted`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let rules = [LimitRule.fiveMinutes(.user), .fiveMinutes(.device), LimitRule(per: .app, max: 2, windowMilliseconds: 300_000)]
        func outcome(_ token: String) throws -> Registration.Outcome {
            try fixture.store.payload(.of(token, at: Self.start, rules: rules))
        }
        #expect(try outcome("A") == .registered)
        #expect(try fixture.store.removeIdleDevices(seenBefore: Self.start, now: Self.start, limit: 10) == 0)
        #expect(try outcome("A") == .limited(rule: rules[0], until: Self.start + 300_000))
        #expect(try fixture.store.removeIdleDevices(seenBefore: Self.start + 1, now: Self.start, limit: 10) == 1)
        #expect(try outcome("A") == .registered)
        #expect(try fixture.store.removeIdleDevices(seenBefore: Self.start + 1, now: Self.start, limit: 10) == 1)
        #expect(try outcome("A") == .limited(rule: rules[2], until: Self.start + 300_000), "the app's calls count on")
    }
}
