internal import Core
internal import HTTPClient

// The rows that several providers' tables share.
extension ProviderAnswer {
    /// How long to wait when a provider asks for less and does not say for how long, in milliseconds: FCM's minimum for an exceeded quota.
    static let quotaWaitMilliseconds: UInt64 = 60_000

    /// It may arrive later.
    /// - Parameter retryAfter: what the provider asked for, in milliseconds.
    static func retry(_ reason: String, after retryAfter: UInt64? = nil, step: NextStep? = nil) -> ProviderAnswer {
        ProviderAnswer(.retry(retryAfterMilliseconds: retryAfter), reason, step: step)
    }

    /// The provider asks for less of everything.
    static func slowDown(_ reason: String, after retryAfter: UInt64?, step: NextStep? = nil) -> ProviderAnswer {
        ProviderAnswer(
            .retry(retryAfterMilliseconds: retryAfter ?? quotaWaitMilliseconds), reason, slowsDown: true, step: step)
    }

    /// The provider asks for less to this device.
    static func delayDevice(_ reason: String, after retryAfter: UInt64?) -> ProviderAnswer {
        let wait = retryAfter ?? quotaWaitMilliseconds
        return ProviderAnswer(
            DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: reason, isAboutDevice: true),
            step: .delayDevice(milliseconds: wait))
    }

    /// A request without an answer. A connection that was lost may have stood idle for hours, so a new one is tried at once: that the first
    /// request arrived all the same shows nowhere, since both carry the same ids.
    static func of(_ error: ClientError) -> ProviderAnswer {
        let reason = HTTPOutcome.reason(of: error)
        return switch error {
        // The last is also what remains of a stream beyond a GOAWAY.
        case .reset, .closedEarly, .malformedResponse: .retry(reason, step: .reconnect)
        default: .retry(reason)
        }
    }
}
