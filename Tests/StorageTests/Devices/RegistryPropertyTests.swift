import Core
import TestSupport
import Testing
import Time

/// Random calls to both stores and to a simple model.
@Suite struct RegistryPropertyTests {
    /// Seeds by backend: fewer for PostgreSQL, where a step costs a round trip. The rules are shared code.
    private static func cases(_ seeds: Int, ofPostgres few: Int) -> [(Backend, Int)] {
        Backend.allCases.flatMap { backend in (0..<(backend == .postgres ? few : seeds)).map { (backend, $0) } }
    }

    @Test(arguments: cases(6, ofPostgres: 3)) func `behaves like the model`(_ backend: Backend, _ seed: Int) throws {
        let fixture = try backend.store(devicesPerUser: 1000)
        var random = SeededGenerator(seed: UInt64(seed))
        let rules = Self.rules(&random)
        var model = RegistryModel()
        var now: UnixMilliseconds = 1_000_000
        var answers: Set<String> = []
        for step in 0..<300 {
            // Sometimes exactly a window's length, or one millisecond less.
            now += random.element(of: [0, 1, 7, 20, 99, 100, 299, 300])
            let key = Device.Key(
                appID: random.element(of: ["a", "b"]), userID: random.element(of: ["u", "v"]),
                deviceID: random.element(of: ["1", "2", "3"]))
            let token = random.element(of: ["A", "B", "C", "D", "E"])
            let type = random.element(of: ["ios", "android"])
            if Int.random(in: 0..<4, using: &random) == 0 {
                try learn(fixture.store, number: step, token: token, type: type, key: key, now: now)
                model.learn(token, type: type, key: key, at: now)
            } else {
                let isLeaving = Int.random(in: 0..<6, using: &random) == 0
                let payload = Registration(key: key, type: type, token: isLeaving ? nil : try PushToken(token), now: now, rules: rules)
                let outcome = try fixture.store.payload(payload)
                #expect(outcome == model.register(payload), "step \(step)")
                answers.insert(outcome.isLimited ? "limited" : "\(outcome)")
            }
            // The other app is compared less often, because a wrong change there persists.
            for app in step.isMultiple(of: 10) ? ["a", "b"] : [key.appID] {
                #expect(try devices(fixture.store, app) == model.devices(app: app), "step \(step)")
            }
        }
        for app in ["a", "b"] { #expect(try devices(fixture.store, app) == model.devices(app: app)) }
        #expect(try fixture.store.announced() == model.reported)
        #expect(answers == ["registered", "unchanged", "removed", "limited"])
    }

    /// After any history and clock jumps, no caller waits longer than a window and the tolerance.
    @Test(arguments: cases(4, ofPostgres: 2)) func `no caller waits for long`(_ backend: Backend, _ seed: Int) throws {
        let fixture = try backend.store()
        var random = SeededGenerator(seed: UInt64(seed))
        let rules = [LimitRule.fiveMinutes(.user, 2), .fiveMinutes(.device, 3)]
        var now: UnixMilliseconds = 100_000_000
        for step in 0..<200 {
            now = now + UInt64.random(in: 0..<200_000, using: &random) - UInt64.random(in: 0..<190_000, using: &random)
            if Int.random(in: 0..<20, using: &random) == 0 { now = now - 5_000_000 }
            let payload = try Registration.of("T\(step)", device: random.element(of: ["d1", "d2"]), at: now, rules: rules)
            guard case .limited(let rule, let until) = try fixture.store.payload(payload) else { continue }
            #expect(until > now)
            #expect(until <= now + rule.windowMilliseconds + LimitRule.clockToleranceMilliseconds)
            now = until
            let later = Registration(key: payload.key, type: payload.type, token: payload.token, now: until, rules: [rule])
            #expect(try fixture.store.payload(later) == .registered, "and then it is allowed")
        }
    }

    private static func rules(_ random: inout SeededGenerator) -> [LimitRule] {
        let others = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            LimitRule(
                per: random.element(of: LimitRule.Scope.allCases), max: Int.random(in: 1...6, using: &random),
                windowMilliseconds: random.element(of: [100, 300, 1000]))
        }
        return [LimitRule(per: .user, max: 3, windowMilliseconds: 1000)] + others
    }

    private func learn(
        _ store: any Store, number: Int, token: String, type: String, key: Device.Key, now: UnixMilliseconds
    ) throws {
        var sample = Sample(number)
        (sample.app, sample.user, sample.device) = (key.appID, key.userID, key.deviceID)
        (sample.deviceType, sample.received) = (type, now)
        sample.token = try PushToken(token)
        // Each call has its own comment, so none is a duplicate.
        #expect(try store.take(sample.incoming(to: [])) == .accepted)
    }

    private func devices(_ store: any Store, _ app: String) throws -> [String] {
        try store.devices(DeviceFilter(appID: app), after: nil, limit: 100).map {
            "\($0.key.userID) \($0.key.deviceID) \($0.type) \($0.token.text) \($0.registeredAt) \($0.seenAt)"
        }
    }
}

extension Registration.Outcome {
    fileprivate var isLimited: Bool {
        if case .limited = self { true } else { false }
    }
}
