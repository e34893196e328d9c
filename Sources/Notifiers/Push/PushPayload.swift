internal import Core
internal import JSON
internal import Time

/// The reason why a notification cannot be written in a provider's format.
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
    /// The message that `render` describes, as JSON text of at most `limit` bytes.
    func message(limit: Int, _ render: (PushNotification) -> JSONValue) throws(PushPayloadError) -> [UInt8] {
        do throws(TooLarge) {
            return try fitting(limit: limit) { render($0).serialized() }
        } catch {
            throw .tooLarge
        }
    }

    /// The picture in the words of FCM, RuStore and HMS, which show it beside the text; nil for none.
    var image: JSONValue? { avatarURL.map { .string($0) } }

    /// Lets an iOS app's notification service extension add the picture, which iOS does not load itself (Apple, "Modifying content in newly
    /// delivered notifications"); nil when there is none.
    var mutableContent: JSONValue? { avatarURL.map { _ in 1 } }

    var dataObject: JSONObject { JSONObject(texts: data) }
}

extension PushWithdrawal {
    var dataObject: JSONObject { JSONObject(texts: data) }

    /// The `aps` object of a silent push: iOS wakes the app, and shows nothing.
    static let aps: JSONValue = ["content-available": 1]

    /// The headers for APNs that make a background push of it (Apple, "Pushing background updates to your App"). Priority 10 is refused.
    var appleHeaders: [(name: String, value: String)] {
        [
            ("apns-push-type", "background"), ("apns-priority", "5"), ("apns-expiration", "\(max(1, expiresAt.seconds))"),
            ("apns-collapse-id", collapseID),
        ]
    }
}

/// Device tokens of providers that document no form for them (FCM, RuStore, HMS).
enum OpaqueToken {
    /// The longest token that is accepted, in bytes; real ones have about 170. It leaves room for the rest of the message.
    static let longest = 1024

    /// Whether a text may be a token: visible ASCII characters that JSON does not escape.
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

    /// Adds a member at the end if there is a value.
    mutating func append(_ value: JSONValue?, unlessMissing key: String) {
        if let value { append(value, forKey: key) }
    }
}
