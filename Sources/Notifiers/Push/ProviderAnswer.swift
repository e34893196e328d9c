internal import Core
internal import HTTPClient

/// The meaning of a provider's answer for the delivery and for `PushSender`.
struct ProviderAnswer: Sendable, Equatable {
    /// The outcome of the attempt, unless `step` leads to another request and answer.
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

/// The next step of `PushSender` after an answer. Each step that sends another request is taken at most once per attempt; after that, the
/// outcome applies.
enum NextStep: Sendable, Equatable {
    /// Send to the provider's other environment, and store the environment that accepts the token.
    case switchEnvironment
    /// Send to the provider's other environment, because the key is not valid for this one. If the other environment has already rejected
    /// the device, end with its rejection.
    case switchForKey
    /// Replace the provider token, which all requests share, and send again.
    case mintToken
    /// If the clocks differ enough to explain the rejection, replace the provider token and send again; otherwise, the outcome applies.
    case compareClocks
    /// Render the message in `PushNotification.shortenedPayload` bytes and send again.
    case shorten
    case reconnect
    /// Query the notifier's `CredentialMismatchDetector` whether the token or the settings are wrong, or whether this is still unknown.
    case askAlarm
    /// Send nothing to this device for a while.
    case delayDevice(milliseconds: UInt64)
    /// Mint no provider token for a while, and keep using the current one.
    case stopMinting(milliseconds: UInt64)
}

extension ProviderAnswer {
    /// The default wait, in milliseconds, when a provider limits the rate without a time: FCM's minimum for an exceeded quota.
    static let quotaWaitMilliseconds: UInt64 = 60_000

    /// A later attempt may succeed.
    /// - Parameter retryAfter: the wait that the provider requested, in milliseconds.
    static func retry(_ reason: String, after retryAfter: UInt64? = nil, step: NextStep? = nil) -> ProviderAnswer {
        ProviderAnswer(.retry(retryAfterMilliseconds: retryAfter), reason, step: step)
    }

    static func slowDown(_ reason: String, after retryAfter: UInt64?, step: NextStep? = nil) -> ProviderAnswer {
        ProviderAnswer(.retry(retryAfterMilliseconds: retryAfter ?? quotaWaitMilliseconds), reason, requestsBackoff: true, step: step)
    }

    /// The provider limits the rate for this device.
    static func delayDevice(_ reason: String, after retryAfter: UInt64?) -> ProviderAnswer {
        let wait = retryAfter ?? quotaWaitMilliseconds
        return ProviderAnswer(
            DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: reason, isAboutDevice: true),
            step: .delayDevice(milliseconds: wait))
    }

    /// The request got no response. If its connection was lost, which may have been idle for hours, the request is sent again immediately
    /// on a new connection. The device does not show it twice, because both requests carry the same ids.
    static func of(_ error: ClientError) -> ProviderAnswer {
        let reason = ClientReason.word(error)
        return switch error {
        // A stream beyond the last one that a GOAWAY frame admits also ends as a malformed response.
        case .reset, .closedEarly, .malformedResponse: .retry(reason, step: .reconnect)
        default: .retry(reason)
        }
    }
}
