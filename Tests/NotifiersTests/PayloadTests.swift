import Core
import JSON
import Testing
import Time

@testable import Notifiers

@Suite struct PayloadTests {
    private static let data: JSONObject = [
        "app_id": "app", "ticket_id": "9223372036854775807", "comment_id": "-9223372036854775808",
        "event_id": "01a3185c-5000-7000-8000-000000000000",
    ]

    @Test func `APNs gets an alert and the data`() throws {
        var expected: JSONObject = [
            "aps": [
                "alert": ["title": "Анна", "body": "Ваш \"заказ\"\nготов"], "sound": "default", "badge": 1,
                "thread-id": "ticket-9223372036854775807",
            ]
        ]
        for member in Self.data.members { expected.append(member.value, forKey: member.key) }
        let body = try APNsPayload.body(Sample.notification("Ваш \"заказ\"\nготов"))
        #expect(try Sample.json(body) == .object(expected))
    }

    @Test func `APNs gets only the members of the style`() throws {
        let style = try PushStyle(content: .private, sound: nil)
        let aps = try Sample.json(APNsPayload.body(Sample.notification("a", style: style)))["aps"]
        #expect(
            aps == ["alert": ["title": "Support", "body": "New message"], "thread-id": "ticket-9223372036854775807"])
    }

    private static let avatar = "https://example.com/avatars/17"

    @Test func `APNs lets the app load the avatar`() throws {
        let message = try Sample.json(APNsPayload.body(Sample.notification("a", avatar: Self.avatar)))
        #expect(message["avatar_url"] == .string(Self.avatar))
        #expect(message["aps"]?["mutable-content"] == 1)
    }

    @Test func `FCM shows the avatar on Android and lets the app load it on iOS`() throws {
        let notification = try Sample.notification("a", avatar: Self.avatar)
        let message = try Sample.json(Format.fcm.body(notification))["message"]
        #expect(message?["android"]?["notification"]?["image"] == .string(Self.avatar))
        #expect(message?["apns"]?["payload"]?["aps"]?["mutable-content"] == 1)
        #expect(message?["data"]?["avatar_url"] == .string(Self.avatar))
    }

    @Test func `RuStore shows the avatar`() throws {
        let notification = try Sample.notification("a", avatar: Self.avatar, style: PushStyle(content: .full))
        let message = try Sample.json(Format.rustore.body(notification))["message"]
        #expect(message?["android"]?["notification"] == ["image": .string(Self.avatar)])
        #expect(message?["data"]?["avatar_url"] == .string(Self.avatar))
    }

    @Test func `HMS shows the avatar`() throws {
        let message = try Sample.json(Format.hms.body(Sample.notification("a", avatar: Self.avatar)))["message"]
        #expect(message?["android"]?["notification"]?["image"] == .string(Self.avatar))
        let data = try #require(message?["android"]?["data"]?.text)
        #expect(try Sample.json(Array(data.utf8))["avatar_url"] == .string(Self.avatar))
    }

    @Test(arguments: Format.allCases) func `no provider gets the avatar of a neutral text`(format: Format) throws {
        let notification = try Sample.notification("a", avatar: Self.avatar, style: PushStyle(content: .private))
        let message = try format.body(notification)
        #expect(!String(decoding: message, as: UTF8.self).contains("avatars"))
        #expect(!String(decoding: message, as: UTF8.self).contains("mutable-content"))
    }

    @Test func `APNs gets the headers of an alert`() throws {
        let headers = APNsHeaders(topic: "com.example.app", deliveryID: Sample.id, try Sample.notification("a"))
        #expect(
            headers.pairs.map { "\($0.name): \($0.value)" } == [
                "apns-topic: com.example.app", "apns-push-type: alert", "apns-priority: 10", "apns-expiration: 1800003600",
                "apns-collapse-id: comment--9223372036854775808", "apns-id: 01a3185c-5000-7000-8000-000000000000",
            ])
        // The longest possible value; APNs accepts 64 bytes.
        #expect(headers.pairs[4].value.utf8.count <= 64)
    }

    @Test func `APNs headers never request a single attempt`() throws {
        let headers = APNsHeaders(topic: "a", deliveryID: Sample.id, try Sample.notification("a", expiresAt: 0))
        #expect(headers.pairs[3] == ("apns-expiration", "1"))
    }

    @Test(arguments: [false, true])
    func fcm(validateOnly: Bool) throws {
        let body = try FCMMessage.body(
            Sample.notification("Ваш заказ"), token: Sample.opaqueToken, validateOnly: validateOnly, now: Sample.now)
        let expected: JSONValue = [
            "validate_only": .bool(validateOnly),
            "message": [
                "token": .string(Sample.opaqueToken), "notification": ["title": "Анна", "body": "Ваш заказ"], "data": .object(Self.data),
                "android": [
                    "priority": "HIGH", "ttl": "3600s",
                    "notification": [
                        "tag": "ticket-9223372036854775807", "sound": "default", "channel_id": "support", "notification_count": 1,
                    ],
                ],
                "apns": [
                    "headers": ["apns-expiration": "1800003600", "apns-collapse-id": "comment--9223372036854775808"],
                    "payload": ["aps": ["thread-id": "ticket-9223372036854775807", "sound": "default", "badge": 1]],
                ],
            ],
        ]
        #expect(try Sample.json(body) == expected)
    }

    /// Without members that RuStore does not document.
    @Test func `RuStore gets a notification and the data`() throws {
        let body = try RuStoreMessage.body(Sample.notification("Ваш заказ"), token: Sample.opaqueToken, now: Sample.now)
        let expected: JSONValue = [
            "message": [
                "token": .string(Sample.opaqueToken), "notification": ["title": "Анна", "body": "Ваш заказ"], "data": .object(Self.data),
                "android": ["ttl": "3600s", "notification": ["channel_id": "support"]],
            ]
        ]
        #expect(try Sample.json(body) == expected)
        let plain = try RuStoreMessage.body(
            Sample.notification("a", style: PushStyle(content: .full)), token: Sample.opaqueToken, now: Sample.now)
        #expect(try Sample.json(plain)["message"]?["android"] == ["ttl": "3600s"])
    }

    @Test func `HMS gets a notification and the data`() throws {
        let body = try HMSMessage.body(
            Sample.notification("Ваш заказ"), token: Sample.opaqueToken, category: "IM", now: Sample.now)
        let message = try #require(try Sample.json(body)["message"])
        #expect(try Sample.json(body)["validate_only"] == false)
        #expect(message["token"] == [.string(Sample.opaqueToken)])
        // The default, because a higher value needs a permission.
        #expect(message["android"]?["urgency"] == nil)
        #expect(message["android"]?["ttl"] == "3600s")
        #expect(message["android"]?["category"] == "IM")
        let data = try #require(message["android"]?["data"]?.text)
        #expect(try Sample.json(Array(data.utf8)) == .object(Self.data))
        #expect(
            message["android"]?["notification"] == [
                "title": "Анна", "body": "Ваш заказ", "click_action": ["type": 3], "tag": "ticket-9223372036854775807",
                "default_sound": true, "channel_id": "support",
            ])
    }

    @Test func `HMS gets the sound of the app`() throws {
        let expected: [(sound: String?, members: [JSONValue?])] = [
            (nil, [nil, nil, "LOW"]), ("default", [true, nil, nil]), ("/raw/ding", [false, "/raw/ding", nil]),
        ]
        for (sound, members) in expected {
            let notification = try Sample.notification("a", style: PushStyle(sound: sound))
            let body = try HMSMessage.body(notification, token: Sample.opaqueToken, now: Sample.now)
            let shown = try Sample.json(body)["message"]?["android"]?["notification"]
            #expect(["default_sound", "sound", "importance"].map { shown?[$0] } == members)
            #expect(try Sample.json(body)["message"]?["android"]?["category"] == nil)
        }
    }

    @Test func `times to live stay within the providers' limits`() throws {
        for (expiresAt, fcm, hms) in [(0, "0s", "1s"), (Sample.now + 999, "0s", "1s"), (.max, "2419200s", "1296000s")] {
            let notification = try Sample.notification("a", expiresAt: expiresAt)
            #expect(try Sample.json(Format.fcm.body(notification))["message"]?["android"]?["ttl"] == .string(fcm))
            #expect(try Sample.json(Format.hms.body(notification))["message"]?["android"]?["ttl"] == .string(hms))
        }
    }
}
