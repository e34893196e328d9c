import Core
import Testing
import Time

/// The deliveries of the registry's own events.
@Suite struct RegistryEventContractTests {
    @Test(arguments: Backend.allCases) func `need no device`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A")
        try fixture.store.put(nil)
        let claimed = try fixture.store.claim("registry", at: 2000)
        #expect(claimed.map(\.event.kind) == [.pushTokenRegistered], "in the order of the person's changes")
        try fixture.store.report(claimed[0], next: .delivered, at: 2000)
        #expect(try fixture.store.claim("registry", at: 2000).map(\.event.kind) == [.pushTokenRemoved])
    }

    /// A notifier that relays registrations must see whether the device is still registered.
    @Test(arguments: Backend.allCases) func `contain the device as it is at the time of the claim`(_ backend: Backend) throws {
        let fixture = try backend.store()
        var seen: [String] = []
        for token in ["A", "B", nil, "C"] {
            try fixture.store.put(token)
            let claimed = try #require(try fixture.store.claim("registry", at: 2000).first)
            seen.append("\(claimed.event.kind.rawValue) \(claimed.deviceID ?? "-") \(claimed.device?.token.text ?? "-")")
            try fixture.store.report(claimed, next: token == nil ? .delivered : .retry(at: 2000), at: 2000)
        }
        let names = ["A", "B", "-", "C"]
        #expect(seen == names.map { "push_token.registered d1 \($0)" })
        try fixture.store.put("C", user: "next")
        let moved = try fixture.store.all().filter { $0.state == .pending }
        #expect(moved.map { "\($0.event.userID) \($0.device?.token.text ?? "-")" } == ["next C"] + Array(repeating: "user -", count: 4))
    }

    /// A notifier that received a registration must still send comments to the device.
    @Test(arguments: Backend.allCases) func `do not count as comments`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A")
        _ = try fixture.store.take(Sample(1).with { $0.device = "d1" }.incoming(to: ["registry"]))
        #expect(try fixture.store.comments().map { $0.device?.token.text } == ["A"])
    }
}
