import Core
import Storage
import Testing
import Time

@Suite struct RegistryContractTests {
    @Test(arguments: Backend.allCases) func `registers a device`(_ backend: Backend) throws {
        let fixture = try backend.store()
        #expect(try fixture.store.put("A", at: 5000) == .registered)
        let key = Device.Key(appID: "app", userID: "user", deviceID: "d1")
        #expect(try fixture.store.device() == Device(key: key, type: "ios", token: PushToken("A"), registeredAt: 5000, seenAt: 5000))
        #expect(try fixture.store.announced() == ["registered user d1 A"])
        let event = try #require(try fixture.store.all().first)
        #expect(event.notifier == "registry")
        #expect(event.state == .pending)
        #expect(event.dueAt == 5000)
    }

    @Test(arguments: Backend.allCases) func `a repeated registration only updates the last-seen time`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A", at: 5000)
        #expect(try fixture.store.put("A", at: 6000) == .unchanged)
        let device = try #require(try fixture.store.device())
        #expect(device.registeredAt == 5000)
        #expect(device.seenAt == 6000)
        #expect(try fixture.store.announced().count == 1)
    }

    @Test(arguments: Backend.allCases) func `another token or type is a new registration`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A", at: 5000)
        #expect(try fixture.store.put("A", type: "rustore", at: 6000) == .registered)
        #expect(try fixture.store.put("B", type: "rustore", at: 7000) == .registered)
        #expect(try fixture.store.put("B", type: "caf\u{E9}", at: 8000) == .registered)
        #expect(try fixture.store.put("B", type: "cafe\u{301}", at: 9000) == .registered)
        #expect(try fixture.store.device()?.registeredAt == 9000)
        let reported = ["A", "A", "B", "B", "B"].map { "registered user d1 \($0)" }
        #expect(try fixture.store.announced() == reported)
        // Receivers that store tokens without devices must learn the former token.
        let events = try fixture.store.all().reversed().map(\.event)
        #expect(events.map(replaced) == [nil, "ios A", "rustore A", "rustore B", "caf\u{E9} B"])
    }

    @Test(arguments: Backend.allCases) func `unsubscribes in every state`(_ backend: Backend) throws {
        let fixture = try backend.store()
        #expect(try fixture.store.put(nil, at: 1) == .unchanged, "it was never registered")
        #expect(try fixture.store.put(nil, at: 2) == .unchanged)
        #expect(try fixture.store.put("A", at: 3) == .registered)
        #expect(try fixture.store.put(nil, type: "other", at: 4) == .removed)
        #expect(try fixture.store.put(nil, at: 5) == .unchanged)
        #expect(try fixture.store.registered() == [])
        #expect(try fixture.store.device() == nil)
        #expect(try fixture.store.put("A", at: 6) == .registered, "the same token again is news")
        #expect(try fixture.store.announced() == ["registered user d1 A", "unsubscribed user d1 A", "registered user d1 A"])
        #expect(try fixture.store.device()?.registeredAt == 6)
    }

    @Test(arguments: Backend.allCases) func `a token moves within its app`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("A", at: 1)
        #expect(try fixture.store.put("A", app: "app2", at: 2) == .registered, "another app has its own tokens")
        #expect(try fixture.store.put("A", user: "next", at: 3) == .registered)
        #expect(try fixture.store.registered() == ["next d1 A"])
        #expect(try fixture.store.registered(app: "app2") == ["user d1 A"])
        #expect(try fixture.store.put("A", user: "next", device: "d2", at: 4) == .registered)
        #expect(try fixture.store.registered() == ["next d2 A"])
        #expect(
            try fixture.store.announced() == [
                "registered user d1 A", "registered user d1 A", "moved user d1 A", "registered next d1 A", "moved next d1 A",
                "registered next d2 A",
            ])
        #expect(try fixture.store.put(nil, at: 5) == .unchanged, "the first one has lost it already")
        #expect(try fixture.store.put("A", at: 6) == .registered)
        #expect(try fixture.store.registered() == ["user d1 A"])
    }

    @Test(arguments: Backend.allCases) func `tokens that are equal in Unicode are distinct`(_ backend: Backend) throws {
        let fixture = try backend.store()
        try fixture.store.put("caf\u{E9}")
        #expect(try fixture.store.put("cafe\u{301}", device: "d2") == .registered)
        #expect(try fixture.store.registered().count == 2)
        #expect(try fixture.store.put("cafe\u{301}") == .registered, "and the first one takes it over")
        #expect(try fixture.store.announced().last == "registered user d1 cafe\u{301}")
        #expect(try fixture.store.registered().count == 1)
    }

    @Test(arguments: Backend.allCases) func `a device beyond the limit replaces the oldest one`(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 3)
        for number in 1...3 { try fixture.store.put("T\(number)", device: "d\(number)", at: UnixMilliseconds(rawValue: UInt64(number))) }
        try fixture.store.put("T1", device: "d1", at: 10)
        try fixture.store.put("X", user: "other", device: "d1", at: 11)
        #expect(try fixture.store.put("T4", device: "d4", at: 12) == .registered)
        #expect(try fixture.store.registered() == ["other d1 X", "user d1 T1", "user d3 T3", "user d4 T4"])
        #expect(try fixture.store.announced().suffix(2) == ["too_many_devices user d2 T2", "registered user d4 T4"])
        #expect(try fixture.store.put("T5", device: "d4", at: 13) == .registered, "a device that is there needs no room")
        #expect(try fixture.store.registered().count == 4)
    }

    @Test(arguments: Backend.allCases) func `signed-out devices are removed first and without an event`(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 3)
        for number in 1...3 { try fixture.store.put("T\(number)", device: "d\(number)", at: UnixMilliseconds(rawValue: UInt64(number))) }
        try fixture.store.put(nil, device: "d3", at: 20)
        try fixture.store.put(nil, device: "d2", at: 30)
        let reported = try fixture.store.announced().count
        try fixture.store.put("T4", device: "d4", at: 40)
        #expect(try fixture.store.announced().dropFirst(reported) == ["registered user d4 T4"])
        // The device that signed out first is removed, so a webhook may register it again when there is room; the other one stays signed
        // out.
        #expect(try fixture.store.removeIdleDevices(seenBefore: 2, now: 50, limit: 1) == 1)
        try fixture.store.take(learning("T3", device: "d3", number: 1))
        try fixture.store.take(learning("T2", device: "d2", number: 2))
        #expect(try fixture.store.announced().last == "registered user d3 T3")
        #expect(try fixture.store.registered() == ["user d3 T3", "user d4 T4"])
    }

    @Test(arguments: Backend.allCases) func `a sign-out does not remove another device`(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 3)
        for number in 1...3 { try fixture.store.put("T\(number)", device: "d\(number)", at: UnixMilliseconds(rawValue: UInt64(number))) }
        for number in 4...9 { #expect(try fixture.store.put(nil, device: "d\(number)", at: 50) == .unchanged) }
        #expect(try fixture.store.registered() == ["user d1 T1", "user d2 T2", "user d3 T3"])
        try fixture.store.put(nil, device: "d1", at: 60)
        for number in 4...9 { #expect(try fixture.store.put(nil, device: "d\(number)", at: 70) == .unchanged) }
        #expect(try fixture.store.registered() == ["user d2 T2", "user d3 T3"])
        #expect(try fixture.store.announced().count == 4)
    }

    @Test(arguments: Backend.allCases) func `removes devices that were not seen`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for number in 1...5 {
            try fixture.store.put("T\(number)", device: "d\(number)", at: UnixMilliseconds(rawValue: UInt64(number * 100)))
        }
        try fixture.store.put(nil, device: "d2", at: 210)
        let reported = try fixture.store.announced().count
        #expect(try fixture.store.removeIdleDevices(seenBefore: 100, now: 9000, limit: 10) == 0)
        #expect(try fixture.store.removeIdleDevices(seenBefore: 401, now: 9000, limit: 2) == 2)
        #expect(try fixture.store.removeIdleDevices(seenBefore: 401, now: 9000, limit: 3) == 2)
        #expect(try fixture.store.removeIdleDevices(seenBefore: 401, now: 9000, limit: 3) == 0)
        #expect(try fixture.store.registered() == ["user d5 T5"])
        let idle = try fixture.store.announced().dropFirst(reported)
        #expect(idle == ["idle user d1 T1", "idle user d3 T3", "idle user d4 T4"], "nobody is told of those that had signed out")
        try fixture.store.take(learning("T2", device: "d2", number: 1))
        #expect(try fixture.store.device("d2") != nil, "and those are forgotten")
    }

    @Test(arguments: Backend.allCases) func `removes devices for an operator`(_ backend: Backend) throws {
        let fixture = try backend.store()
        for user in ["ann", "bob"] {
            for number in 1...3 { try fixture.store.put("\(user)\(number)", user: user, device: "d\(number)") }
        }
        try fixture.store.put("X", app: "app2", user: "ann")
        try fixture.store.put(nil, user: "bob", device: "d3")
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app3", userID: "ann"), now: 7) == 0)
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: "ann", deviceID: "d2"), now: 7) == 1)
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: "ann", deviceID: "d2"), now: 7) == 0)
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: "bob"), now: 7) == 2)
        #expect(try fixture.store.registered() == ["ann d1 ann1", "ann d3 ann3"])
        #expect(try fixture.store.registered(app: "app2") == ["ann d1 X"])
        #expect(
            try fixture.store.announced().suffix(3) == ["operator ann d2 ann2", "operator bob d1 bob1", "operator bob d2 bob2"])
    }

    @Test(arguments: Backend.allCases) func `removes more devices than one step holds`(_ backend: Backend) throws {
        let fixture = try backend.store(devicesPerUser: 1000) { $0.rowsPerCommit = 20 }
        for number in 0..<41 { try fixture.store.put("T\(number)", device: "d\(number)") }
        #expect(try fixture.store.removeDevices(DeviceFilter(appID: "app", userID: "user"), now: 7) == 41)
        #expect(try fixture.store.registered() == [])
        #expect(try fixture.store.announced().count == 82)
    }

    @Test(arguments: Backend.allCases) func `lists in the order of bytes and in pages`(_ backend: Backend) throws {
        let fixture = try backend.store()
        let users = ["z", "a", "caf\u{E9}", "cafe\u{301}", "Z", "\u{1F600}", "\u{FFFD}"]
        for (number, user) in users.enumerated() {
            for device in ["d2", "d1", "d10"] { try fixture.store.put("\(number)\(device)", user: user, device: device) }
        }
        try fixture.store.put(nil, user: "a", device: "d1")
        try fixture.store.put("other", app: "app2")
        let sorted = users.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let expected = sorted.flatMap { user in ["d1", "d10", "d2"].map { "\(user) \($0)" } }.filter { $0 != "a d1" }
        var found: [String] = []
        var last: Device.Key?
        while case let page = try fixture.store.devices(DeviceFilter(appID: "app"), after: last, limit: 4), !page.isEmpty {
            #expect(page.count <= 4)
            found += page.map { "\($0.key.userID) \($0.key.deviceID)" }
            last = page.last?.key
        }
        #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
        #expect(
            try fixture.store.devices(DeviceFilter(appID: "app", userID: "a"), after: nil, limit: 9).map(\.key.deviceID) == ["d10", "d2"])
        #expect(try fixture.store.devices(DeviceFilter(appID: "app", userID: "cafe\u{301}"), after: nil, limit: 9).count == 3)
        #expect(try fixture.store.devices(DeviceFilter(appID: "app", deviceID: "d10"), after: nil, limit: 99).count == 7)
        #expect(try fixture.store.devices(DeviceFilter(appID: "app"), after: nil, limit: 0).isEmpty)
        #expect(try fixture.store.devices(DeviceFilter(appID: "nobody"), after: nil, limit: 9).isEmpty)
    }

    @Test(arguments: Backend.allCases) func `fails once closed`(_ backend: Backend) throws {
        let store = try backend.store()
        store.store.close()
        let calls: [() throws -> Void] = [
            { try store.store.put("A") }, { try store.store.put(nil) }, { _ = try store.store.registered() },
            { _ = try store.store.removeDevices(DeviceFilter(appID: "app", userID: "user"), now: 1) },
            { _ = try store.store.removeIdleDevices(seenBefore: 1, now: 1, limit: 1) },
        ]
        for call in calls { #expect(throws: StoreError(.closed, "the store is closed: the service is stopping")) { try call() } }
    }

    /// A webhook for nobody that carries a token.
    private func learning(_ token: String, device: String, number: Int) throws -> IncomingEvent {
        var sample = Sample(number)
        sample.device = device
        sample.token = try PushToken(token)
        return sample.incoming(to: [])
    }
}
