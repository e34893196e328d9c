internal import Core

/// What FCM's answers mean (Firebase, "FCM error codes").
enum FCMAnswer {
    /// Reads an answer.
    /// - Parameter retryAfter: what the header Retry-After asks for, in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        let refusal = FCMRefusal(body: body)
        return of(status: status, code: refusal.code, blamesToken: refusal.blamesToken, retryAfter: retryAfter)
    }

    /// The table.
    /// - Parameters:
    ///   - blamesToken: whether the field that is wrong is the token.
    ///   - retryAfter: in milliseconds.
    static func of(status: Int, code: FCMErrorCode?, blamesToken: Bool = false, retryAfter: UInt64? = nil) -> ProviderAnswer {
        let word = code?.word ?? "status_\(status)"
        return switch status {
        case 200: ProviderAnswer(.delivered, "status_200")
        case 400 where code == .invalidArgument && blamesToken: ProviderAnswer(.deviceGone(since: nil), "invalid_token")
        case 400: ProviderAnswer(.dead, word)
        // Firebase has no credential for the platform of this device; for the others it may have.
        case 401 where code == .thirdPartyAuthError: ProviderAnswer(.dead, "misconfigured_for_device_type")
        case 401: ProviderAnswer(.misconfigured, word, step: .mintToken)
        case 403 where code == .senderIDMismatch: ProviderAnswer(.deviceGone(since: nil), word, step: .askAlarm)
        case 403: ProviderAnswer(.misconfigured, word)
        case 404 where code == .unregistered: ProviderAnswer(.deviceGone(since: nil), word)
        // The project is wrong, or the address: no answer about a device.
        case 404: ProviderAnswer(.misconfigured, word)
        case 429: .slowDown(word, after: retryAfter)
        // Among them all of 5xx, for which the retry policy waits the 10 seconds that FCM asks for. The rest may be mended.
        default: .retry(word, after: retryAfter)
        }
    }
}
