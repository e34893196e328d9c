import Core
import TestSupport
import Testing
import Time

@Suite struct RegistryChangeTests {
    private static let audience = RegistryAudience([("app", [Subscription(notifier: "relay")])], lifetimeMilliseconds: 500)
    private static let removed: [RegistryChange.Kind] =
        [RegistryChange.Reason.unsubscribed, .moved, .tooManyDevices, .idle, .gone, .operatorRemoved].map { .removed($0) }

    private func change(_ kind: RegistryChange.Kind, app: String = "app", type: String = "ios", token: String = "a\"é") throws
        -> RegistryChange
    {
        let key = Device.Key(appID: app, userID: "user", deviceID: "d\n1")
        return RegistryChange(kind, Device(key: key, type: type, token: try PushToken(token), registeredAt: 1, seenAt: 2), at: 1000)
    }

    private func event(_ change: RegistryChange) throws -> Event {
        var random = SeededGenerator(seed: 1)
        return try #require(change.incoming(telling: Self.audience, using: &random)).event
    }

    @Test func `have one kind for each change`() throws {
        let (registered, removed) = (try event(change(.registered)), try event(change(.removed(.tooManyDevices))))
        #expect(String(decoding: registered.data, as: UTF8.self) == #"{"device_id":"d\n1","type":"ios","token":"a\"é"}"#)
        #expect(
            String(decoding: removed.data, as: UTF8.self)
                == #"{"device_id":"d\n1","type":"ios","token":"a\"é","reason":"too_many_devices"}"#)
        #expect(registered.kind == .pushTokenRegistered)
        #expect(removed.kind == .pushTokenRemoved)
        #expect(registered.identity == Event.Identity(appID: "app", ticketID: nil, commentID: nil, deviceID: "d\n1"))
        #expect(registered.userID == "user")
        #expect(registered.deviceType == "ios")
        #expect(
            [registered.occurredAt, registered.receivedAt, registered.expiresAt, registered.id.milliseconds] == [1000, 1000, 1500, 1000])
        #expect(registered.id == registered.id.event)
    }

    @Test(arguments: removed + [.registered]) func `survive a round trip`(_ kind: RegistryChange.Kind) throws {
        let payload = try #require(RegistryChange.Payload(event(change(kind, type: ""))))
        #expect(payload.deviceID == "d\n1")
        #expect(payload.token == .init(type: "", text: "a\"é"))
        #expect(payload.replaced == nil)
        #expect(payload.reason.map { .removed($0) } ?? .registered == kind)
    }

    @Test func `contain the replaced token`() throws {
        let former = try change(.registered, type: "android", token: "b").device
        let event = try event(RegistryChange(.registered, change(.registered).device, replacing: former, at: 1000))
        #expect(
            String(decoding: event.data, as: UTF8.self)
                == #"{"device_id":"d\n1","type":"ios","token":"a\"é","replaces":{"type":"android","token":"b"}}"#)
        let payload = try #require(RegistryChange.Payload(event))
        #expect(payload.replaced == .init(type: "android", text: "b"))
        #expect(payload.replaced?.isHeld(by: former) == true)
        #expect(!payload.token.isHeld(by: former))
        #expect(!payload.token.isHeld(by: nil))
    }

    @Test func `are not created without a user`() throws {
        var random = SeededGenerator(seed: 1)
        let first = random
        #expect(try change(.registered, app: "other").incoming(telling: Self.audience, using: &random) == nil)
        #expect(try change(.registered).incoming(telling: .nobody, using: &random) == nil)
        var untouched = first
        #expect(random.next() == untouched.next(), "and take nothing from the generator")
    }

    @Test(arguments: [
        "{}", "[]", "", #"{"device_id":"","type":"ios","token":"t"}"#, #"{"device_id":"d","type":"ios","token":""}"#,
        #"{"device_id":"d","type":"ios"}"#, #"{"device_id":1,"type":"ios","token":"t"}"#,
    ])
    func `are rejected if malformed`(_ data: String) throws {
        let event = try event(change(.registered))
        #expect(RegistryChange.Payload(copy(event, kind: .pushTokenRegistered, data)) == nil)
    }

    @Test(arguments: Event.Kind.allCases) func `are parsed only from their own kinds`(_ kind: Event.Kind) throws {
        let event = try event(change(.registered))
        let isRead = RegistryChange.Payload(copy(event, kind: kind, String(decoding: event.data, as: UTF8.self))) != nil
        #expect(isRead == [.pushTokenRegistered, .pushTokenRemoved].contains(kind))
    }

    private func copy(_ event: Event, kind: Event.Kind, _ data: String) -> Event {
        Event(
            id: event.id, kind: kind, identity: event.identity, userID: event.userID, occurredAt: 1, receivedAt: 1, expiresAt: 1,
            data: Array(data.utf8))
    }
}
