package import Core
package import HTTPClient
internal import JSON
package import Time

/// The outcome of one export, by the rules of OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp-response).
package enum ExportOutcome: Sendable, Equatable {
    /// The collector has accepted the batch except for `rejected` spans, which must not be sent again.
    case taken(rejected: Int)
    case retry(afterMilliseconds: UInt64?, reason: String)
    /// The collector will never accept the batch.
    case refused(reason: String)

    /// The attempts of a batch, and the delays between them: about a minute in total, after which the queue has no room anyway.
    package static let policy = RetryPolicy(
        baseMilliseconds: 1000, floorMilliseconds: 500, ceilingMilliseconds: 30_000, retryAfterCeilingMilliseconds: 300_000,
        maximumAttempts: 8)

    /// Evaluates the result of a request.
    /// - Parameters:
    ///   - count: the number of spans in the request.
    ///   - now: for a Retry-After that is a date.
    package init(_ result: Result<ClientResponse, ClientError>, of count: Int, now: UnixMilliseconds) {
        switch result {
        case .success(let response):
            self.init(
                status: response.status, retryAfter: response.header("Retry-After"), body: response.body, of: count, now: now)
        case .failure(.invalidURL): self = .refused(reason: "invalid_url")
        case .failure(.timeout): self = .retry(afterMilliseconds: nil, reason: "timeout")
        case .failure: self = .retry(afterMilliseconds: nil, reason: "unreachable")
        }
    }

    package init(status: Int, retryAfter: String?, body: [UInt8], of count: Int, now: UnixMilliseconds) {
        let reason = "status_\(status)"
        switch status {
        case 200..<300: self = .taken(rejected: min(count, Self.rejected(body)))
        case 429, 502, 503, 504:
            self = .retry(afterMilliseconds: retryAfter.flatMap { RetryAfter.milliseconds(from: $0, now: now) }, reason: reason)
        default: self = .refused(reason: reason)
        }
    }

    /// Returns the number of spans that the collector reports as rejected. A body that is not JSON rejects none: OTLP requires only the
    /// status.
    private static func rejected(_ body: [UInt8]) -> Int {
        guard let partial = (try? JSONElement(parsing: body.span))?["partialSuccess"], partial.isObject else { return 0 }
        // A 64-bit integer is a text in this encoding; some collectors write a number.
        let rejected = partial["rejectedSpans"]
        return max(0, Int(clamping: rejected?.integer ?? rejected?.string.flatMap { Int64($0) } ?? 0))
    }
}
