internal import Core

/// What APNs' answers mean (Apple, "Handling notification responses from APNs").
enum APNsAnswer {
    /// How long no provider token is made when APNs has had too many, in milliseconds: it wants a new one once in 20 minutes at most.
    static let mintingPauseMilliseconds: UInt64 = 20 * 60_000

    /// Reads an answer.
    /// - Parameter retryAfter: what the header Retry-After asks for, in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        let refusal = APNsRefusal(body: body)
        return of(status: status, reason: refusal.reason, timestamp: refusal.timestamp, retryAfter: retryAfter)
    }

    /// The table.
    /// - Parameters:
    ///   - timestamp: since when the token is not valid, in Unix milliseconds.
    ///   - retryAfter: in milliseconds.
    static func of(status: Int, reason: APNsReason?, timestamp: UInt64? = nil, retryAfter: UInt64? = nil) -> ProviderAnswer {
        let word = reason?.word ?? "status_\(status)"
        return switch status {
        case 200: ProviderAnswer(.delivered, "status_200")
        case 400: badRequest(reason, word)
        case 403: forbidden(reason, word)
        // Without a word of Apple's it is somebody else who answers, or the address is wrong.
        case 404, 405: ProviderAnswer(reason == nil ? .misconfigured : .dead, word)
        case 410 where reason == .unregistered || reason == .expiredToken: ProviderAnswer(.deviceGone(since: timestamp), word)
        case 413: ProviderAnswer(.dead, word, step: .shorten)
        case 429: tooMany(reason, word, retryAfter)
        // Among them all of 5xx. What no table knows may be the work of something between, and may be mended.
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
        // Also said of a token that seems to come from the future.
        case .invalidProviderToken: ProviderAnswer(.misconfigured, word, step: .compareClocks)
        // A key or a certificate may be for one environment only.
        case .badEnvironmentKeyInToken, .badEnvironmentKeyIDInToken, .badCertificateEnvironment:
            ProviderAnswer(.misconfigured, word, step: .switchForKey)
        default: ProviderAnswer(.misconfigured, word)
        }
    }

    private static func tooMany(_ reason: APNsReason?, _ word: String, _ retryAfter: UInt64?) -> ProviderAnswer {
        switch reason {
        case .tooManyRequests: .delayDevice(word, after: retryAfter)
        case .tooManyProviderTokenUpdates:
            .slowDown(word, after: retryAfter, step: .stopMinting(milliseconds: max(retryAfter ?? 0, mintingPauseMilliseconds)))
        default: .slowDown(word, after: retryAfter)
        }
    }
}
