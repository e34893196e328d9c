internal import Core
internal import HTTPClient
internal import JSON

/// A push token as Sendbird Chat has it, and the requests about it.
///
/// Source: Sendbird, Chat Platform API v3, "Add a registration or device token", "Remove a registration or device token".
struct SendbirdToken: Sendable, Equatable {
    private enum Service: String {
        case apns, gcm, huawei

        /// The service of a type of device, in the words that apps use; nil for any other.
        init?(deviceType: String) {
            switch deviceType.lowercased() {
            case "ios", "iphone", "ipad", "apple", "apns": self = .apns
            case "android", "fcm", "gcm", "google": self = .gcm
            case "huawei", "hms", "harmonyos": self = .huawei
            default: return nil
            }
        }

        /// The member of a registration's body that has the token.
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

    /// The token of a device; nil where Sendbird has no push service for its type, or could not remove it.
    init?(type: String, text: String) {
        guard let service = Service(deviceType: type), PlatformRequest.isAddressable(text) else { return nil }
        (self.service, self.text) = (service, text)
    }

    init?(_ token: RegistryChange.Payload.Token) {
        self.init(type: token.type, text: token.text)
    }

    /// Compares bytes: tokens are no words.
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
