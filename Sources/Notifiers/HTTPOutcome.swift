internal import Core
internal import HTTPClient

/// What an answer of a webhook's receiver means (Standard Webhooks 1.0, "Deliverability").
enum HTTPOutcome {
    static func of(_ response: ClientResponse, nowMilliseconds: UInt64) -> DeliveryOutcome {
        let reason = "status_\(response.status)"
        switch response.status {
        case 200..<300: return DeliveryOutcome(.delivered, reason: reason)
        // Gone: the receiver wants no more, until an operator says otherwise.
        case 410: return DeliveryOutcome(.misconfigured, reason: reason)
        default:
            let retryAfter = response.header("Retry-After").flatMap {
                RetryAfter.milliseconds(from: $0, nowMilliseconds: nowMilliseconds)
            }
            // Any other status may be a mistake that somebody mends while the event still matters. Redirects are never followed.
            return DeliveryOutcome(
                .retry(retryAfterMilliseconds: retryAfter), reason: reason, slowsDown: [429, 502, 504].contains(response.status))
        }
    }

    static func of(_ error: ClientError) -> DeliveryOutcome {
        DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: reason(of: error))
    }

    /// A stable word; the error's own text may name hosts.
    static func reason(of error: ClientError) -> String {
        switch error {
        case .invalidURL: "invalid_url"
        case .resolve: "host_unknown"
        case .connect: "cannot_connect"
        case .proxy: "proxy"
        case .tls: "tls"
        case .timeout: "timeout"
        case .closedEarly: "closed_early"
        case .reset: "connection_reset"
        case .malformedResponse: "malformed_response"
        case .headersTooLarge: "headers_too_large"
        case .cancelled: "cancelled"
        case .overloaded: "overloaded"
        case .other(let code): "client_\(code)"
        }
    }
}
