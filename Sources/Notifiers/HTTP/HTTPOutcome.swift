package import Core
package import HTTPClient
package import Time

/// The outcomes of a webhook receiver's responses (Standard Webhooks 1.0, "Deliverability").
package enum HTTPOutcome {
    /// The outcome of a response.
    /// - Parameter now: used for a Retry-After that is a date.
    package static func of(_ response: ClientResponse, now: UnixMilliseconds) -> DeliveryOutcome {
        let reason = StatusReason.word(response.status)
        switch response.status {
        case 200..<300: return DeliveryOutcome(.delivered, reason: reason, status: response.status)
        // 410 Gone: send no more events until an operator has fixed the receiver.
        case 410: return DeliveryOutcome(.misconfigured, reason: reason, status: response.status)
        default:
            // Any other status may be a fault that is corrected while the event is still useful. Redirects are never followed.
            return DeliveryOutcome(
                .retry(retryAfterMilliseconds: response.retryAfter(now: now)), reason: reason,
                requestsBackoff: [429, 502, 504].contains(response.status), status: response.status)
        }
    }

    /// The outcome of a request without a response.
    package static func of(_ error: ClientError) -> DeliveryOutcome {
        DeliveryOutcome(
            .retry(retryAfterMilliseconds: nil), reason: ClientReason.word(error), mayHaveArrived: !error.isBeforeSending)
    }
}

extension ClientResponse {
    /// Returns the delay that the header Retry-After requests, in milliseconds; nil when it is missing or malformed.
    /// - Parameter now: used for a date.
    package func retryAfter(now: UnixMilliseconds) -> UInt64? {
        header("Retry-After").flatMap { RetryAfter.milliseconds(from: $0, now: now) }
    }
}
