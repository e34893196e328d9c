internal import Core
internal import HTTPClient
internal import JSON

/// A push token of Sendbird Chat.
///
/// Source: Sendbird, Chat Platform API v3, "Add a registration or device token", "Remove a registration or device token".
struct SendbirdToken: Sendable, Equatable {
    private enum Service: String {
        case apns, gcm, huawei

        /// Returns nil for a device type that has no push service at Sendbird.
        init?(deviceType: String) {
            switch deviceType.lowercased() {
            case "ios", "iphone", "ipad", "apple", "apns": self = .apns
            case "android", "fcm", "gcm", "google": self = .gcm
            case "huawei", "hms", "harmonyos": self = .huawei
            default: return nil
            }
        }

        /// The member of a registration's body that contains the token.
        var member: String {
            switch self {
            case .apns: "apns_device_token"
            case .gcm: "gcm_reg_token"
            case .huawei: "huawei_device_token"
            }
        }
    }

    private let service: Service
    private let text: String

    /// Returns nil when the type has no push service at Sendbird, or when the token cannot be a path component, so that it could not be
    /// removed later.
    init?(type: String, text: String) {
        guard let service = Service(deviceType: type), PlatformRequest.isAddressable(text) else { return nil }
        (self.service, self.text) = (service, text)
    }

    init?(_ token: RegistryChange.Payload.Token) {
        self.init(type: token.type, text: token.text)
    }

    /// Compares bytes, without Unicode equivalence.
    static func == (left: SendbirdToken, right: SendbirdToken) -> Bool {
        left.service == right.service && left.text.utf8.elementsEqual(right.text.utf8)
    }

    func registration(_ userID: String) -> PlatformRequest {
        PlatformRequest(
            "add_push_token", method: .post, path: ["users", userID, "push", service.rawValue], body: [service.member: .string(text)])
    }

    func removal(_ userID: String) -> PlatformRequest {
        PlatformRequest("remove_push_token", method: .delete, path: ["users", userID, "push", service.rawValue, text])
    }
}
