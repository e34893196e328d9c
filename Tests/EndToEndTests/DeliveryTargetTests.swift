import Core
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

/// `deskgate deliveries list|show` name the device of a delivery, for any device in its webhook.
///
/// The person has the devices a and b of the type ios.
@Suite struct DeliveryTargetTests {
    private static let time: UnixMilliseconds = 1_773_130_512_000
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace(["store": ["minimum_free_megabytes": 0]])
    }

    @Test func `names both devices of a comment for an unknown device`() throws {
        try fill(device: "x", Subscription(notifier: "sink", requiresDevice: true))
        #expect(try shownDevices() == ["on device a (the event names device x).", "on device b (the event names device x)."])
        #expect(try listedDevices() == ["b", "a"])
    }

    @Test func `names the device of a comment for a known device`() throws {
        try fill(device: "b", Subscription(notifier: "sink", requiresDevice: true))
        #expect(try shownDevices() == ["on device b."])
        #expect(try listedDevices() == ["b"])
    }

    /// Both devices are registered with a type that the notifier does not serve.
    @Test func `names no device of a comment that no notifier serves`() throws {
        try fill(device: "x", Subscription(notifier: "sink", deviceTypes: .only(["android"]), requiresDevice: true))
        let end = "It ended at 2026-03-10T08:15:12.000Z, without an attempt: there was no registered device that this notifier serves."
        #expect(try show(0).last.map(String.init) == end)
    }

    private func fill(device: String, _ subscription: Subscription) throws {
        let store = try SQLiteStore(path: workspace.directory.path("deskgate.db"))
        defer { store.close() }
        let done = Monitor(0)
        for id in ["a", "b"] {
            let key = Device.Key(appID: "app-1", userID: "user-1", deviceID: id)
            let payload = Registration(key: key, type: "ios", token: try PushToken("token-\(id)"), now: Self.time, rules: [])
            store.register(payload) { _ in done.update { $0 += 1 } }
        }
        let event = Event(
            id: Self.eventID, kind: .commentCreated,
            identity: Event.Identity(appID: "app-1", ticketID: 7, commentID: 1, deviceID: device), userID: "user-1", occurredAt: Self.time,
            receivedAt: Self.time, expiresAt: Self.time + 1000, data: Array("{}".utf8))
        store.accept(IncomingEvent(event, to: [subscription])) { _ in done.update { $0 += 1 } }
        try #require(done.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 == 3 ? true : nil } == true)
    }

    private static let eventID = UUIDv7(milliseconds: 1, random: InlineArray(repeating: 1)).event

    private func show(_ position: Int) throws -> [Substring] {
        let id = Self.eventID.delivery(position).description
        return try Deskgate.run("deliveries", "show", "--config", workspace.configuration, id).output.split(separator: "\n")
    }

    /// The end of the second line of each delivery's explanation.
    private func shownDevices() throws -> [String] {
        var devices: [String] = []
        for position in 0..<(try list().count) {
            let line = String(try show(position)[1])
            guard let end = line.split(separator: "user user-1, ").last else { throw ChildProcess.Failure.missingOutput }
            devices.append(String(end))
        }
        return devices
    }

    private func listedDevices() throws -> [String] {
        try list().compactMap { line in
            let words = line.split(separator: " ")
            return words.firstIndex(of: "user-1").map { String(words[$0 + 1]) }
        }
    }

    private func list() throws -> [Substring] {
        let lines = try Deskgate.run("deliveries", "list", "--config", workspace.configuration).output.split(separator: "\n")
        // The reasons for waiting are below the table.
        return lines.dropFirst().filter { !$0.hasPrefix("Deliveries to ") }
    }
}
