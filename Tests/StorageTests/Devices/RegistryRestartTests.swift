import Core
import Storage
import TestSupport
import Testing
import Time

@Suite struct RegistryRestartTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func withStore<Value>(_ body: (SQLiteStore) throws -> Value) throws -> Value {
        let store = try SQLiteStore(path: directory.path("store.db"))
        defer { store.close() }
        return try body(store)
    }

    @Test func `limits survive a restart`() throws {
        let rules = [LimitRule.fiveMinutes(.user, 2), .fiveMinutes(.service, 3)]
        let (first, second) = (try Registration.of("A", at: 1000, rules: rules), try Registration.of("B", at: 2000, rules: rules))
        #expect(try withStore { try $0.payload(first) } == .registered)
        #expect(try withStore { try $0.payload(second) } == .registered)
        let third = try Registration.of("C", at: 300_999, rules: rules)
        #expect(try withStore { try $0.payload(third) } == .limited(rule: rules[0], until: 301_000))
        let fourth = try Registration.of("C", at: 301_000, rules: rules)
        #expect(try withStore { try $0.payload(fourth) } == .registered)
        let other = try Registration.of("D", user: "other", at: 301_001, rules: rules)
        #expect(try withStore { try $0.payload(other) } == .registered)
        let last = try Registration.of("E", user: "last", at: 301_002, rules: rules)
        #expect(try withStore { try $0.payload(last) } == .limited(rule: rules[1], until: 302_000))
    }

    @Test func `devices survive a restart`() throws {
        let before = try withStore { store throws in
            try store.put("A", at: 1)
            try store.put("B", device: "d2", type: "android", at: 2)
            try store.put("C", device: "d3", at: 3)
            try store.put(nil, device: "d3", at: 4)
            try store.put(nil, device: "d4", at: 5)
            return try store.devices(DeviceFilter(appID: "app"), after: nil, limit: 9)
        }
        #expect(before.count == 2)
        try withStore { store throws in
            #expect(try store.devices(DeviceFilter(appID: "app"), after: nil, limit: 9) == before)
            for (number, device, token) in [(1, "d3", "C"), (2, "d4", "D")] {
                try store.take(
                    Sample(number).with {
                        $0.device = device
                        $0.requiresDevice = true
                        $0.token = try? PushToken(token)
                    })
            }
            #expect(try store.registered() == ["user d1 A", "user d2 B"], "those that signed out are remembered")
            #expect(try store.comments().map(\.state) == [.noTarget, .noTarget])
            #expect(try store.announced().count == 4)
        }
    }

    @Test func `a waiting delivery finds its device`() throws {
        try withStore { store throws in
            try store.put("A")
            try store.take(
                Sample(1).with {
                    $0.device = "d1"
                    $0.requiresDevice = true
                })
            #expect(try store.claim(at: 2000).count == 1)
        }
        try withStore { store throws in
            #expect(try store.claim(at: 2000).map { $0.device?.token.text } == ["A"])
            try store.put(nil)
        }
        try withStore { store throws in
            #expect(try store.claim(at: 3000) == [])
            #expect(try store.comments().map(\.state) == [.noTarget])
            #expect(try store.pending().map(\.notifier) == ["registry"])
        }
    }
}
