import Core
import JSON

@testable import Notifiers

/// The formats of all providers, for tests of common rules.
enum Format: String, CaseIterable {
    case apns, fcm, rustore, hms

    func body(_ notification: PushNotification, limit: Int = PushNotification.largestPayload) throws -> [UInt8] {
        switch self {
        case .apns: try APNsPayload.body(notification, limit: limit)
        case .fcm: try FCMMessage.body(notification, token: Sample.opaqueToken, now: Sample.now, limit: limit)
        case .rustore: try RuStoreMessage.body(notification, token: Sample.opaqueToken, now: Sample.now, limit: limit)
        case .hms: try HMSMessage.body(notification, token: Sample.opaqueToken, now: Sample.now, limit: limit)
        }
    }

    /// The author's picture in the message, for the side that shows it: the app on iOS, and otherwise the provider.
    func shownAvatar(_ message: JSONValue) -> String? {
        switch self {
        case .apns: message["avatar_url"]?.text
        case .fcm, .rustore, .hms: message["message"]?["android"]?["notification"]?["image"]?.text
        }
    }

    func shownBody(_ message: JSONValue) -> String? {
        switch self {
        case .apns: message["aps"]?["alert"]?["body"]?.text
        case .fcm, .rustore: message["message"]?["notification"]?["body"]?.text
        case .hms: message["message"]?["android"]?["notification"]?["body"]?.text
        }
    }
}
