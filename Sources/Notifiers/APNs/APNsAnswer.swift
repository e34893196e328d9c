internal import Core
internal import JSON
internal import Time

enum APNsAnswer {
    /// Milliseconds for which no provider token is minted after APNs reported too many: it accepts a new one every 20 minutes.
    static let mintingPauseMilliseconds: UInt64 = 20 * 60_000

    /// Parses a response.
    /// - Parameter retryAfter: the value of the header Retry-After, in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        let refusal = APNsRefusal(body: body)
        return of(status: status, reason: refusal.reason, timestamp: refusal.timestamp, retryAfter: retryAfter)
    }

    /// Maps a status and a reason to an outcome.
    /// - Parameters:
    ///   - timestamp: the time at which the device's token became invalid.
    ///   - retryAfter: in milliseconds.
    static func of(status: Int, reason: APNsReason?, timestamp: UnixMilliseconds? = nil, retryAfter: UInt64? = nil) -> ProviderAnswer {
        let word = reason?.word ?? StatusReason.word(status)
        return switch status {
        case 200: ProviderAnswer(.delivered, StatusReason.word(status))
        case 400: badRequest(reason, word)
        case 403: forbidden(reason, word)
        // Without a reason from Apple the address is wrong, or another server answered.
        case 404, 405: ProviderAnswer(reason == nil ? .misconfigured : .dead, word)
        case 410 where reason == .unregistered || reason == .expiredToken: ProviderAnswer(.deviceGone(since: timestamp), word)
        case 413: ProviderAnswer(.dead, word, step: .shorten)
        case 429: tooMany(reason, word: word, retryAfter: retryAfter)
        // Every 5xx, and unknown responses, which may come from a proxy and may be temporary.
        default: .retry(word, after: retryAfter)
        }
    }

    private static func badRequest(_ reason: APNsReason?, _ word: String) -> ProviderAnswer {
        switch reason {
        case .badDeviceToken: ProviderAnswer(.deviceGone(since: nil), word, step: .switchEnvironment)
        case .deviceTokenNotForTopic: ProviderAnswer(.deviceGone(since: nil), word, step: .askAlarm)
        case .badTopic, .missingTopic, .topicDisallowed: ProviderAnswer(.misconfigured, word)
        case .idleTimeout: .retry(word, step: .reconnect)
        default: ProviderAnswer(.dead, word)
        }
    }

    private static func forbidden(_ reason: APNsReason?, _ word: String) -> ProviderAnswer {
        switch reason {
        case .expiredProviderToken: ProviderAnswer(.misconfigured, word, step: .mintToken)
        // APNs also gives this reason for a token that is apparently from the future.
        case .invalidProviderToken: ProviderAnswer(.misconfigured, word, step: .compareClocks)
        // A key or a certificate may be restricted to one environment.
        case .badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken, .badCertificateEnvironment:
            ProviderAnswer(.misconfigured, word, step: .switchForKey)
        default: ProviderAnswer(.misconfigured, word)
        }
    }

    private static func tooMany(_ reason: APNsReason?, word: String, retryAfter: UInt64?) -> ProviderAnswer {
        switch reason {
        case .tooManyRequests: .delayDevice(word, after: retryAfter)
        case .tooManyProviderTokenUpdates:
            .slowDown(word, after: retryAfter, step: .stopMinting(milliseconds: max(retryAfter ?? 0, mintingPauseMilliseconds)))
        default: .slowDown(word, after: retryAfter)
        }
    }
}

/// The body of an unsuccessful response of APNs: `{"reason":"Unregistered","timestamp":1700000000000}`.
struct APNsRefusal: Equatable {
    /// nil for a missing or unknown reason.
    let reason: APNsReason?
    /// The time at which the device's token became invalid; only with 410.
    let timestamp: UnixMilliseconds?

    /// Parses a body; one that is not JSON has neither.
    init(body: [UInt8]) {
        let root = JSONValue(parsing: body)
        reason = root?["reason"]?.text.flatMap { APNsReason(rawValue: $0) }
        timestamp = root?["timestamp"]?.integer.flatMap { $0 > 0 ? UnixMilliseconds(rawValue: UInt64($0)) : nil }
    }
}
