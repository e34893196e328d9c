internal import Core
internal import JSON
internal import Time

/// The reason why a notification cannot be rendered in a provider's format.
enum PushPayloadError: Error, Equatable {
    /// The provider cannot have issued the device's token.
    case invalidToken
    /// The message is too large even without the notification's body.
    case tooLarge

    var outcome: DeliveryOutcome {
        switch self {
        case .invalidToken: DeliveryOutcome(.deviceGone(since: nil), unasked: .invalidToken)
        case .tooLarge: DeliveryOutcome(.dead, unasked: .payloadTooLarge)
        }
    }
}

extension PushNotification {
    /// Renders the message with `render`, as JSON text of at most `limit` bytes.
    func message(limit: Int, _ render: (PushNotification) -> JSONValue) throws(PushPayloadError) -> [UInt8] {
        do throws(TooLarge) {
            return try fitting(limit: limit) { render($0).serialized() }
        } catch {
            throw .tooLarge
        }
    }

    /// The value of the picture for FCM, RuStore and HMS, which show it beside the text; nil for none.
    var image: JSONValue? { avatarURL.map { .string($0) } }

    /// Enables the notification service extension of an iOS app to add the picture, because iOS does not load pictures itself (Apple,
    /// "Modifying content in newly delivered notifications"); nil when there is no picture.
    var mutableContent: JSONValue? { avatarURL.map { _ in 1 } }

    var dataObject: JSONObject { JSONObject(texts: data) }
}

extension PushWithdrawal {
    var dataObject: JSONObject { JSONObject(texts: data) }

    /// The `aps` object of a silent push: iOS wakes the app, but shows nothing.
    static let aps: JSONValue = ["content-available": 1]

    /// The headers for a background push through APNs (Apple, "Pushing background updates to your App"). APNs rejects these with priority
    /// 10.
    var appleHeaders: [(name: String, value: String)] {
        [
            ("apns-push-type", "background"), ("apns-priority", "5"), ("apns-expiration", "\(max(1, expiresAt.seconds))"),
            ("apns-collapse-id", collapseID),
        ]
    }
}

/// Device tokens of providers that document no format for them (FCM, RuStore, HMS).
enum OpaqueToken {
    /// The maximum length of a token in bytes. Real tokens have about 170 bytes, and this limit leaves room for the rest of the message.
    static let longest = 1024

    /// Whether a text is a possible token: visible ASCII characters that JSON does not escape.
    static func isValid(_ token: String) -> Bool {
        (1...longest).contains(token.utf8.count)
            && token.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

extension JSONObject {
    init(texts: [(key: String, value: String)]) {
        self.init()
        for (key, value) in texts { append(.string(value), forKey: key) }
    }

    /// Appends a member if it has a value.
    mutating func append(_ value: JSONValue?, unlessMissing key: String) {
        if let value { append(value, forKey: key) }
    }
}
