import Core
import Testing
import Time

/// Device types that are registered but served by no notifier, from the registrations of ten minutes.
@Suite struct UnservedDevicesTests {
    private static let start: MonotonicMilliseconds = 1_000_000

    private static func registrations(
        _ types: [(type: String, count: Int, isServed: Bool)], app: String = "shop", in devices: UnservedDevices = UnservedDevices(),
        at now: MonotonicMilliseconds = start
    ) -> UnservedDevices {
        var devices = devices
        for (type, count, isServed) in types {
            for _ in 0..<count { devices.note(app: app, type: type, isServed: isServed, now: now) }
        }
        return devices
    }

    @Test(arguments: [(4, 0), (5, 1)]) func `five registrations of a type are reported`(_ count: Int, _ found: Int) {
        var devices = Self.registrations([("ios", count, false), ("tv", 4, false), ("android", 3, true)])
        let finding = UnservedDevices.Finding(app: "shop", type: "ios", count: UInt64(count), total: UInt64(count + 7))
        #expect(devices.findings(now: Self.start) == Array(repeating: finding, count: found))
    }

    @Test func `each app and each type is found`() {
        var devices = Self.registrations([("tv", 5, false), ("ios", 6, false)])
        devices = Self.registrations([("ios", 7, false)], app: "bank", in: devices)
        #expect(devices.findings(now: Self.start).map(\.app) == ["bank", "shop", "shop"])
        #expect(devices.findings(now: Self.start).map(\.type) == ["ios", "ios", "tv"])
        #expect(devices.findings(now: Self.start).map(\.count) == [7, 6, 5])
        #expect(devices.findings(now: Self.start).map(\.total) == [7, 11, 11])
    }

    /// The first four are ten minutes old before the last one is.
    @Test func `a registration is counted for ten minutes`() {
        let (later, length) = (Self.start + 60_000, AnswerWindow.lengthMilliseconds)
        var devices = Self.registrations([("ios", 1, false)], in: Self.registrations([("ios", 4, false)]), at: later)
        #expect(devices.findings(now: Self.start + (length - 1)).map(\.count) == [5])
        #expect(devices.findings(now: Self.start + length) == [])
    }

    @Test func `only a few types are tracked separately`() {
        var devices = Self.registrations((10..<40).map { ("type-\($0)", 5, false) })
        #expect(devices.findings(now: Self.start).count == 16)
        #expect(devices.findings(now: Self.start).allSatisfy { $0.total == 150 })
    }
}
