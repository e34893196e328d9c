internal import Core
internal import JSON

enum FCMAnswer {
    /// Parses a response.
    /// - Parameter retryAfter: the value of the header Retry-After, in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        let refusal = FCMRefusal(body: body)
        return of(status: status, code: refusal.code, blamesToken: refusal.blamesToken, retryAfter: retryAfter)
    }

    /// Parses the response to a proof, whose token no device has. FCM objects to the message itself only after it has accepted the sender.
    /// - Parameter retryAfter: the value of the header Retry-After, in milliseconds.
    static func ofProof(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        status == 400 && FCMRefusal(body: body).isOfFCM
            ? ProviderAnswer(.delivered, NotifierReason.credentialAccepted.rawValue)
            : of(status: status, body: body, retryAfter: retryAfter)
    }

    /// Maps a status and a code to an outcome.
    /// - Parameters:
    ///   - blamesToken: whether the response names the token as the wrong field.
    ///   - retryAfter: in milliseconds.
    static func of(status: Int, code: FCMErrorCode?, blamesToken: Bool = false, retryAfter: UInt64? = nil) -> ProviderAnswer {
        let word = code?.word ?? StatusReason.word(status)
        return switch status {
        case 200: ProviderAnswer(.delivered, StatusReason.word(status))
        case 400 where code == .invalidArgument && blamesToken:
            ProviderAnswer(.deviceGone(since: nil), NotifierReason.invalidToken.rawValue)
        case 400: ProviderAnswer(.dead, word)
        // Firebase lacks the credential for this device's platform, but may have those for others.
        case 401 where code == .thirdPartyAuthError:
            ProviderAnswer(
                DeliveryOutcome(.dead, reason: NotifierReason.misconfiguredForDeviceType.rawValue, settingsFault: .ofDeviceType))
        case 401: ProviderAnswer(.misconfigured, word, step: .mintToken)
        case 403 where code == .senderIDMismatch: ProviderAnswer(.deviceGone(since: nil), word, step: .askAlarm)
        case 403: ProviderAnswer(.misconfigured, word)
        case 404 where code == .unregistered: ProviderAnswer(.deviceGone(since: nil), word)
        // The project or the address is wrong; the response is not about a device.
        case 404: ProviderAnswer(.misconfigured, word)
        case 429: .slowDown(word, after: retryAfter)
        // Every 5xx, for which the retry policy waits the 10 seconds that FCM requires, and unknown responses, which may be temporary.
        default: .retry(word, after: retryAfter)
        }
    }
}

/// The body of an unsuccessful response of FCM (Google, "google.rpc.Status").
struct FCMRefusal: Equatable {
    private static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
    private static let requestType = "type.googleapis.com/google.rpc.BadRequest"
    /// The only sign of an invalid token in the form that Firebase documents today ("FCM error codes"): all other wrong arguments have the
    /// same code.
    private static let invalidToken = "The registration token is not a valid FCM registration token"

    /// FCM's error code, otherwise the general status; nil when neither is known.
    let code: FCMErrorCode?
    /// Whether FCM itself has responded. Without FCM's own error the response may come from Google's servers in front of it.
    let isOfFCM: Bool
    /// Whether the device's token is the wrong argument: the body names its field, or no field and the documented sentence.
    let blamesToken: Bool

    /// Parses a body; one that is not JSON has no code.
    init(body: [UInt8]) {
        let root = JSONValue(parsing: body)
        // RuStore puts the members of the error at the root.
        let error = root?["error"] ?? root
        let details = error?["details"]?.elements ?? []
        let own = details.first { $0["@type"]?.text == Self.errorType }
        let requests = details.filter { $0["@type"]?.text == Self.requestType }
        code = (own?["errorCode"] ?? error?["status"])?.text.flatMap { FCMErrorCode(rawValue: $0) }
        isOfFCM = own != nil
        blamesToken =
            requests.isEmpty
            ? own?["errorCode"]?.text == FCMErrorCode.invalidArgument.rawValue && error?["message"]?.text == Self.invalidToken
            : requests.contains { request in
                request["fieldViolations"]?.elements.contains { $0["field"]?.text == "message.token" } == true
            }
    }
}
