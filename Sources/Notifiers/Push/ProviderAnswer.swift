internal import Core
internal import HTTPClient

/// The meaning of a provider's answer for the delivery and for `PushSender`.
struct ProviderAnswer: Sendable, Equatable {
    /// The outcome of the attempt, unless `step` leads to another answer.
    let outcome: DeliveryOutcome
    /// The next step of `PushSender` before or after the end of the attempt; nil for none.
    let step: NextStep?

    init(_ outcome: DeliveryOutcome, step: NextStep? = nil) {
        self.outcome = outcome
        self.step = step
    }

    init(_ verdict: DeliveryOutcome.Verdict, _ reason: String, requestsBackoff: Bool = false, step: NextStep? = nil) {
        self.init(DeliveryOutcome(verdict, reason: reason, requestsBackoff: requestsBackoff), step: step)
    }
}

/// The next step of `PushSender` after an answer. Each step that sends again is taken at most once an attempt; after that the outcome
/// counts.
enum NextStep: Sendable, Equatable {
    /// Ask the provider's other environment, and remember the one that accepts the token.
    case switchEnvironment
    /// Ask the provider's other environment, because the key is not for this one; if the other has refused before, end with its refusal.
    case switchForKey
    /// Replace the provider token, which all requests share, and send again.
    case mintToken
    /// If the clocks differ enough to explain the refusal, replace the provider token and send again; otherwise the outcome counts.
    case compareClocks
    /// Write the message in `PushNotification.shortenedPayload` bytes and send again.
    case shorten
    case reconnect
    /// Ask the notifier's `CredentialMismatchDetector` whether the token is wrong, the settings are, or neither is known yet.
    case askAlarm
    /// Send nothing to this device for a while.
    case delayDevice(milliseconds: UInt64)
    /// Mint no provider token for a while, and keep using the current one.
    case stopMinting(milliseconds: UInt64)
}

extension ProviderAnswer {
    /// The default wait, in milliseconds, when a provider asks for fewer requests without a time: FCM's minimum for an exceeded quota.
    static let quotaWaitMilliseconds: UInt64 = 60_000

    /// A later attempt may succeed.
    /// - Parameter retryAfter: what the provider asked for, in milliseconds.
    static func retry(_ reason: String, after retryAfter: UInt64? = nil, step: NextStep? = nil) -> ProviderAnswer {
        ProviderAnswer(.retry(retryAfterMilliseconds: retryAfter), reason, step: step)
    }

    static func slowDown(_ reason: String, after retryAfter: UInt64?, step: NextStep? = nil) -> ProviderAnswer {
        ProviderAnswer(.retry(retryAfterMilliseconds: retryAfter ?? quotaWaitMilliseconds), reason, requestsBackoff: true, step: step)
    }

    /// The provider wants fewer requests for this device.
    static func delayDevice(_ reason: String, after retryAfter: UInt64?) -> ProviderAnswer {
        let wait = retryAfter ?? quotaWaitMilliseconds
        return ProviderAnswer(
            DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: reason, isAboutDevice: true),
            step: .delayDevice(milliseconds: wait))
    }

    /// A request got no response. If its connection was lost, which may have been idle for hours, the request is sent again at once on a
    /// new one. A device does not show it twice, because both requests carry the same ids.
    static func of(_ error: ClientError) -> ProviderAnswer {
        let reason = ClientReason.word(error)
        return switch error {
        // A stream beyond the last one that a GOAWAY admits also ends as a malformed response.
        case .reset, .closedEarly, .malformedResponse: .retry(reason, step: .reconnect)
        default: .retry(reason)
        }
    }
}
