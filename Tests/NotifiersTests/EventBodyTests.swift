import Core
import JSON
import Testing

@testable import Notifiers

/// What a backend is sent of a delivery: with the device that a comment is for, and otherwise what was stored.
@Suite struct EventBodyTests {
    private static let stored = #"{"id":"x","type":"y","data":{"a":{"b":[]}}}"#

    private func body(_ kind: Event.Kind, token: String?, deviceID: String = "d\"\u{E9}", type: String = "") throws -> String {
        let key = Device.Key(appID: "app", userID: "user", deviceID: deviceID)
        let event = Event(
            id: Sample.id, kind: kind, identity: Event.Identity(appID: "app", ticketID: 1, commentID: 2, deviceID: deviceID),
            userID: "user",
            occurredAt: 1, receivedAt: 1, expiresAt: 2, payload: Array(Self.stored.utf8))
        let device = try token.map { Device(key: key, type: type, token: try PushToken($0), registeredAt: 1, seenAt: 1) }
        let delivery = Delivery(id: Sample.id, notifier: "n", event: event, deviceID: deviceID, device: device, dueAt: 1)
        return String(decoding: EventBody.bytes(of: delivery), as: UTF8.self)
    }

    @Test func namesTheDevice() throws {
        let expected = #"{"id":"x","type":"y","data":{"a":{"b":[]},"target":{"device_id":"d","type":"ios","token":"abc"}}}"#
        #expect(try body(.commentCreated, token: "abc", deviceID: "d", type: "ios") == expected)
    }

    @Test func isJSONWhateverTheDeviceIsCalled() throws {
        let token = "a\"b\\c}}\u{1F600}/"
        let value = try Sample.json(Array(body(.commentCreated, token: token).utf8))
        #expect(value["data"]?["target"]?["token"] == .string(token))
        #expect(value["data"]?["target"]?["device_id"] == .string("d\"\u{E9}"))
        #expect(value["data"]?["a"] == ["b": []])
    }

    @Test func isWhatWasStoredWithoutADevice() throws {
        #expect(try body(.commentCreated, token: nil) == Self.stored)
        for kind in [Event.Kind.pushTokenRegistered, .pushTokenRemoved] { #expect(try body(kind, token: "abc") == Self.stored) }
    }
}
