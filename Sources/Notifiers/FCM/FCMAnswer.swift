internal import Core
internal import JSON

enum FCMAnswer {
    /// Reads an answer.
    /// - Parameter retryAfter: what the header Retry-After asks for, in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        let refusal = FCMRefusal(body: body)
        return of(status: status, code: refusal.code, blamesToken: refusal.blamesToken, retryAfter: retryAfter)
    }

    /// Reads an answer to a proof, whose token no device has. Only a sender that was accepted gets FCM's own objection to the message.
    /// - Parameter retryAfter: what the header Retry-After asks for, in milliseconds.
    static func ofProof(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        status == 400 && FCMRefusal(body: body).isOfFCM
            ? ProviderAnswer(.delivered, NotifierReason.credentialAccepted.rawValue)
            : of(status: status, body: body, retryAfter: retryAfter)
    }

    /// The table.
    /// - Parameters:
    ///   - blamesToken: whether the token is the wrong field.
    ///   - retryAfter: in milliseconds.
    static func of(status: Int, code: FCMErrorCode?, blamesToken: Bool = false, retryAfter: UInt64? = nil) -> ProviderAnswer {
        let word = code?.word ?? StatusReason.word(status)
        return switch status {
        case 200: ProviderAnswer(.delivered, StatusReason.word(status))
        case 400 where code == .invalidArgument && blamesToken:
            ProviderAnswer(.deviceGone(since: nil), NotifierReason.invalidToken.rawValue)
        case 400: ProviderAnswer(.dead, word)
        // Firebase lacks the credential for the platform of this device, and may have those for others.
        case 401 where code == .thirdPartyAuthError:
            ProviderAnswer(
                DeliveryOutcome(.dead, reason: NotifierReason.misconfiguredForDeviceType.rawValue, settingsFault: .ofDeviceType))
        case 401: ProviderAnswer(.misconfigured, word, step: .mintToken)
        case 403 where code == .senderIDMismatch: ProviderAnswer(.deviceGone(since: nil), word, step: .askAlarm)
        case 403: ProviderAnswer(.misconfigured, word)
        case 404 where code == .unregistered: ProviderAnswer(.deviceGone(since: nil), word)
        // The project or the address is wrong; the answer is not about a device.
        case 404: ProviderAnswer(.misconfigured, word)
        case 429: .slowDown(word, after: retryAfter)
        // Every 5xx, for which the retry policy waits the 10 seconds that FCM asks for, and unknown answers, which may be temporary.
        default: .retry(word, after: retryAfter)
        }
    }
}

/// The body of an unsuccessful answer of FCM (Google, "google.rpc.Status").
struct FCMRefusal: Equatable {
    private static let errorType = "type.googleapis.com/google.firebase.fcm.v1.FcmError"
    private static let requestType = "type.googleapis.com/google.rpc.BadRequest"
    /// The only mark of an invalid token in the form that Firebase documents today ("FCM error codes"): all other wrong
    /// arguments have the same code.
    private static let invalidToken = "The registration token is not a valid FCM registration token"

    /// FCM's error code, or else the general status; nil when neither is known.
    let code: FCMErrorCode?
    /// Whether FCM itself has answered; without its own error the answer may come from Google's servers before it.
    let isOfFCM: Bool
    /// Whether the device's token is the wrong argument: the body names its field, or no field and the documented sentence.
    let blamesToken: Bool

    /// Reads a body; one that is not JSON has nothing.
    init(body: [UInt8]) {
        let root = JSONValue(parsing: body)
        // RuStore puts the error's members at the root.
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
