internal import JSON
internal import Time

/// The configuration of a demonstration: four apps, and notifiers, some of which fail.
struct DemoConfiguration {
    private static let daySeconds: UInt64 = 24 * 3600
    /// The wrong APNs key id of the couriers' notifier; the simulated provider accepts `SimulatorCredentials.apnsKeyID`.
    static let wrongKeyID = "WRONGKEYID"
    /// The name of the bot of the app `market`.
    static let bot = "guide"

    let files: DemoFiles
    let ports: DemoPorts
    /// An object with the notifiers of the simulated providers: apns, fcm, hms, rustore.
    let providers: JSONValue
    /// The object `sendbird` of an app that uses the simulated Sendbird.
    let sendbird: JSONObject
    /// The address of the company's receivers, without a path.
    let receivers: String
    let now: UnixSeconds

    var text: [UInt8] {
        let configuration: JSONValue = [
            "listen": ["host": "127.0.0.1", "port": .integer(Int64(ports.listen))],
            "admin": [
                "host": "127.0.0.1", "port": .integer(Int64(ports.admin)), "token": file(.adminToken),
                "tokens": [
                    ["name": "backend", "role": "mint", "token": file(.mintToken)],
                    ["name": "prometheus", "role": "read", "token": file(.readToken)],
                ],
            ],
            "apps": [shop, couriers, tablets, market], "bots": [guide], "notifiers": .object(notifiers),
            "operators": ["notifiers": ["backend"]], "push_tokens": ["limits": [["per": "user", "max": 3, "window_seconds": 300]]],
            // A long demonstration keeps the latest URL previews and sessions.
            "deliveries": ["expire_after_seconds": 3600, "keep_delivered_days": 1, "keep_dead_days": 1],
            "reload": ["on_change": true], "log": ["level": "info", "format": "text"], "shutdown": ["drain_seconds": 5],
        ]
        return configuration.serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    /// The app of a shop, during a rotation: the former secret is valid for some more days.
    private var shop: JSONValue {
        [
            "app_id": .string(DemoApp.shop.rawValue),
            "keys": [
                [
                    "id": 1, "secret": file(.shopFormerKey), "state": "verify_only",
                    "not_after": .integer(Int64((now + 6 * Self.daySeconds).rawValue)),
                ],
                ["id": 2, "secret": file(.shopKey), "state": "active"],
            ],
            "webhook": ["secret": file(.shopWebhook)], "notifiers": ["log", "backend", "crm"],
            "routes": ["ios": "apns", "android": "fcm", "huawei": "hms", "rustore": "rustore"],
        ]
    }

    /// The app of its couriers, in which a rotation has begun and pushes to iPhones have a wrong credential.
    private var couriers: JSONValue {
        [
            "app_id": .string(DemoApp.couriers.rawValue),
            "keys": [
                ["id": 1, "secret": file(.courierKey), "state": "active"],
                ["id": 2, "secret": file(.courierNextKey), "state": "verify_only"],
            ],
            "webhook": ["secret": file(.courierWebhook)], "notifiers": ["log"],
            "routes": ["ios": "apns-couriers", "default": "fcm"],
        ]
    }

    /// The app on the tablets in its stores, which is in shadow mode: all users may chat for two weeks.
    private var tablets: JSONValue {
        [
            "app_id": .string(DemoApp.tablets.rawValue), "keys": [["id": 1, "secret": file(.tabletKey)]],
            "webhook": ["secret": file(.tabletWebhook)], "notifiers": ["log", "billing"], "routes": ["ios": "apns-tablets"],
            "shadow_until": .integer(Int64((now + 14 * Self.daySeconds).rawValue)),
        ]
    }

    /// The app of its market place, whose help desk is Sendbird Desk.
    private var market: JSONValue {
        var settings = sendbird
        settings.append(JSONValue.object([:]), forKey: "session_tokens")
        for name in ["tickets", "relay"] { settings.append(true, forKey: name) }
        return [
            "app_id": .string(DemoApp.market.rawValue), "help_desk": "sendbird", "keys": [["id": 1, "secret": file(.marketKey)]],
            "sendbird": .object(settings), "notifiers": ["log", "backend", "sendbird"],
            "routes": ["ios": "apns", "android": "fcm"],
        ]
    }

    /// The bot of its market place, which hands customers off to people.
    private var guide: JSONValue {
        [
            "name": .string(Self.bot), "apps": [.string(DemoApp.market.rawValue)],
            "public_url": .string("http://127.0.0.1:\(ports.listen)"), "secret": file(.bot),
            "system_message": "You help customers of a market place. Hand over to a person if you cannot help.",
            "connect_to_person": [:],
            "functions": [
                [
                    "name": "get_opening_hours", "description": "Returns the opening hours of stores.",
                    "parameters": ["type": "object", "properties": [:], "additionalProperties": false],
                    "request": ["method": "GET", "url": .string("\(receivers)/opening-hours")],
                ]
            ],
        ]
    }

    private var notifiers: JSONObject {
        var notifiers: JSONObject = ["log": ["type": "log"], "sendbird": ["type": "sendbird"]]
        for (name, secret) in [("backend", DemoSecret.backend), ("crm", .crm), ("billing", .billing)] {
            notifiers.append(["type": "http", "url": .string("\(receivers)/\(name)"), "secret": file(secret)], forKey: name)
        }
        for name in ["apns", "fcm", "hms", "rustore"] { notifiers.append(providers[name] ?? .null, forKey: name) }
        notifiers.append(apns(with: ["key", "team_id"], ["key_id": .string(Self.wrongKeyID)]), forKey: "apns-couriers")
        let pair: JSONObject = ["certificate": .string(files.certificate), "key": ["file": .string(files.certificateKey)]]
        notifiers.append(apns(with: [], pair), forKey: "apns-tablets")
        return notifiers
    }

    /// APNs with another credential.
    /// - Parameters:
    ///   - kept: the names of the members to keep.
    ///   - own: the members that replace the others.
    private func apns(with kept: [String], _ own: JSONObject) -> JSONValue {
        let names = ["type", "topic", "url", "sandbox_url", "certificate_authorities", "content"] + kept
        var settings = own
        for name in names {
            if let value = providers["apns"]?[name] { settings.append(value, forKey: name) }
        }
        return .object(settings)
    }

    private func file(_ secret: DemoSecret) -> JSONValue { ["file": .string(secret.file)] }
}
