import Core
import JSON
import Testing
import Time

@testable import Notifiers

@Suite struct EventBodyTests {
    private static let data = #"{"a":{"b":[]}}"#

    private static func head(_ kind: Event.Kind) -> String {
        #"{"id":"\#(Sample.id)","type":"\#(kind.rawValue)","occurred_at":"1970-01-01T00:00:00.001Z","app_id":"app","user_id":"us\"er","data":"#
    }

    private func body(
        _ kind: Event.Kind, token: String?, deviceID: String = "d\"\u{E9}", type: String = "", data: String = data
    ) throws -> String {
        let key = Device.Key(appID: "app", userID: "user", deviceID: deviceID)
        let event = Event(
            id: Sample.id, kind: kind, identity: Event.Identity(appID: "app", ticketID: 1, commentID: 2, deviceID: deviceID),
            userID: "us\"er", occurredAt: 1, receivedAt: 1, expiresAt: 2, data: Array(data.utf8))
        let device = try token.map { Device(key: key, type: type, token: try PushToken($0), registeredAt: 1, seenAt: 1) }
        let delivery = Delivery(id: Sample.id, notifier: "n", event: event, deviceID: deviceID, device: device, dueAt: 1)
        return String(decoding: EventBody.bytes(of: delivery), as: UTF8.self)
    }

    @Test func `contains the device`() throws {
        let target = #""target":{"device_id":"d","type":"ios","token":"abc"}}}"#
        let head = Self.head(.commentCreated)
        #expect(try body(.commentCreated, token: "abc", deviceID: "d", type: "ios") == head + #"{"a":{"b":[]},"# + target)
        #expect(try body(.commentCreated, token: "abc", deviceID: "d", type: "ios", data: "{}") == head + "{" + target)
    }

    @Test func `is valid JSON for any device name`() throws {
        let token = "a\"b\\c}}\u{1F600}/"
        let value = try Sample.json(Array(body(.commentCreated, token: token).utf8))
        #expect(value["data"]?["target"]?["token"] == .string(token))
        #expect(value["data"]?["target"]?["device_id"] == .string("d\"\u{E9}"))
        #expect(value["data"]?["a"] == ["b": []])
    }

    @Test func `is the event alone without a device`() throws {
        #expect(try body(.commentCreated, token: nil) == Self.head(.commentCreated) + Self.data + "}")
        for kind in [Event.Kind.pushTokenRegistered, .pushTokenRemoved] {
            #expect(try body(kind, token: "abc") == Self.head(kind) + Self.data + "}")
        }
    }
}
