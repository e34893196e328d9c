import Core
import JSON
import Simulators
import Testing
import Time

@testable import Notifiers

/// The silent pushes that make devices remove notifications: their bytes, and their delivery by the simulated providers.
@Suite struct WithdrawalTests {
    private static let data: JSONObject = [
        "type": "conversation.seen", "app_id": "app", "ticket_id": "7", "thread": "ticket-7", "seen_at": "2027-01-15T08:00:00.000Z",
        "event_id": "01a3185c-5000-7000-8000-000000000000",
    ]
    private static let appleHeaders: JSONObject = [
        "apns-push-type": "background", "apns-priority": "5", "apns-expiration": "1800003600", "apns-collapse-id": "seen-7",
    ]

    private func withdrawal() throws -> PushWithdrawal {
        let mark = ReadReceipt(
            AppUser(appID: "app", userID: "user"), conversation: 7, notifiers: [], receivedAt: Sample.now)
        return try #require(PushWithdrawal(Event(mark, ticketID: 7, id: Sample.id, lifetimeMilliseconds: 3_600_000)))
    }

    @Test func `APNs gets a background push without alert, sound and badge`() throws {
        let key = PEMFile(path: "", contents: [])
        let provider = APNsProvider(APNsDestination(credential: .certificate(key, key: key), topic: "com.example.app"))
        let message = try provider.message(withdrawal(), to: Sample.appToken, id: Sample.id, now: Sample.now)
        #expect(message.path == "/3/device/\(Sample.appToken)")
        #expect(
            message.headers.map { "\($0.name): \($0.value)" } == [
                "apns-topic: com.example.app", "apns-push-type: background", "apns-priority: 5", "apns-expiration: 1800003600",
                "apns-collapse-id: seen-7", "apns-id: 01a3185c-5000-7000-8000-000000000000",
            ])
        var expected: JSONObject = ["aps": ["content-available": 1]]
        for member in Self.data.members { expected.append(member.value, forKey: member.key) }
        #expect(try Sample.json(message.body) == .object(expected))
    }

    @Test func `FCM gets a data message, with a background push for Apple's devices`() throws {
        let expected: JSONValue = [
            "message": [
                "token": .string(Sample.opaqueToken), "data": .object(Self.data), "android": ["priority": "NORMAL", "ttl": "3600s"],
                "apns": ["headers": .object(Self.appleHeaders), "payload": ["aps": ["content-available": 1]]],
            ]
        ]
        #expect(try Sample.json(FCMMessage.body(withdrawal(), token: Sample.opaqueToken, now: Sample.now)) == expected)
    }

    @Test func `RuStore gets a message without a notification`() throws {
        let expected: JSONValue = [
            "message": ["token": .string(Sample.opaqueToken), "data": .object(Self.data), "android": ["ttl": "3600s"]]
        ]
        #expect(try Sample.json(RuStoreMessage.body(withdrawal(), token: Sample.opaqueToken, now: Sample.now)) == expected)
    }

    @Test func `HMS gets a data message`() throws {
        let body = try Sample.json(HMSMessage.body(withdrawal(), token: Sample.opaqueToken, now: Sample.now))
        let data = try #require(body["message"]?["data"]?.text)
        #expect(try Sample.json(Array(data.utf8)) == .object(Self.data))
        #expect(body["message"]?["android"] == ["ttl": "3600s"])
        #expect(body["message"]?["token"] == [.string(Sample.opaqueToken)])
        #expect(body["message"]?["notification"] == nil)
    }

    @Test func `Android gets the time at which a shown comment was written`() throws {
        let style = try PushStyle(withdraws: true)
        let notification = style.notification(for: Sample.comment(), eventID: Sample.id, createdAt: Sample.now, expiresAt: .max)
        let time: JSONValue = "2027-01-15T08:00:00.000Z"
        #expect(try Sample.json(Format.fcm.body(notification))["message"]?["android"]?["notification"]?["event_time"] == time)
        #expect(try Sample.json(Format.hms.body(notification))["message"]?["android"]?["notification"]?["when"] == time)
        #expect(try Sample.json(Format.fcm.body(notification))["message"]?["data"]?["created_at"] == time)
        #expect(try Sample.json(Format.apns.body(notification))["created_at"] == time)
    }

    private func notifier(_ kind: ProviderKind, _ fixture: PushFixture, withdraws: Bool) throws -> PushNotifier {
        var settings = try kind.settings(fixture)
        settings.style = try PushStyle(withdraws: withdraws)
        let clocks = fixture.clocks
        return try PushNotifier(
            settings, client: fixture.client, monotonicMilliseconds: { clocks.monotonicMilliseconds() },
            unixMilliseconds: { clocks.unixMilliseconds() })
    }

    private static let seen = #"{"ticket_id":7,"seen_at":"2027-01-15T08:00:00.000Z"}"#

    @Test(arguments: ProviderKind.allCases) func `a provider accepts it, and nothing is shown`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            let delivery = try PushFixture.delivery(token, kind: .conversationSeen, data: Self.seen)
            let outcome = fixture.deliver(delivery, try notifier(kind, fixture, withdraws: true))
            #expect(outcome.verdict == .delivered)
            #expect(outcome.reason == "withdrawn")
            #expect(fixture.pushes(to: token).map { "\($0.title)\($0.body)" } == [""])
        }
    }

    @Test(arguments: ProviderKind.allCases) func `without the setting no provider is called`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let token = PushFixture.token()
            let delivery = try PushFixture.delivery(token, kind: .conversationSeen, data: Self.seen)
            let outcome = fixture.deliver(delivery, try notifier(kind, fixture, withdraws: false))
            #expect(outcome == DeliveryOutcome(.delivered, reason: "not_for_push", calledReceiver: false))
            #expect(fixture.pushes(to: token).isEmpty)
        }
    }

    @Test(arguments: ["", "{}", "[]", #"{"ticket_id":7}"#]) func `a malformed event is given up`(_ data: String) throws {
        try PushFixture.run { fixture in
            let delivery = try PushFixture.delivery(kind: .conversationSeen, data: data)
            let outcome = fixture.deliver(delivery, try notifier(.apns, fixture, withdraws: true))
            #expect(outcome == DeliveryOutcome(.dead, reason: "unreadable_payload", calledReceiver: false))
        }
    }
}
