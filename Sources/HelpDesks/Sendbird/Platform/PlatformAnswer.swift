internal import Core
internal import HTTPClient
internal import JSON
internal import Notifiers
internal import Time

/// Interprets the answers of both APIs.
///
/// Sources: Sendbird, Chat Platform API v3, "Error codes" and "Rate limits". Chat answers `{"error":true,"code":400201,"message":"…"}`,
/// mostly with status 400; Desk answers `{"code":…,"detail":"…"}` or `{"message":"…"}`.
enum PlatformAnswer {
    /// The wait after a rate limit without a specified time, because Sendbird's limits apply per second.
    static let defaultWaitMilliseconds: UInt64 = 1000
    static let longestWaitMilliseconds: UInt64 = 3_600_000

    /// Codes that Chat sends with status 400.
    private enum Code {
        /// "ResourceNotFound"; "User not found" for users.
        static let notFound = ["400201"]
        /// "UnauthorizedRequest", "InvalidApiToken", "PermissionDenied".
        static let unauthorized = ["400108", "400401", "403100"]
        /// "RATE_LIMIT_EXCEEDED" of Chat, and of newer APIs.
        static let rateLimited = ["500910", "429100"]
    }

    /// The minimum value that is interpreted as a Unix time in seconds, and not as a duration.
    private static let minimumUnixSeconds: UInt64 = 1_000_000_000

    static func of(_ response: ClientResponse, now: UnixMilliseconds) -> Result<JSONValue, PlatformError> {
        let json = response.isTruncated ? nil : JSONValue(parsing: response.body)
        switch response.status {
        case 200..<300:
            if let json, json["error"] != .bool(true) { return .success(json) }
            guard response.body.isEmpty else { return .failure(.unavailable(reason: malformed, mayHaveArrived: true)) }
            return .success(.null)
        default: return .failure(error(response, json, now: now))
        }
    }

    private static let malformed = ClientReason.malformedResponse.rawValue

    private static func error(_ response: ClientResponse, _ json: JSONValue?, now: UnixMilliseconds) -> PlatformError {
        let status = response.status
        let refusal = PlatformRefusal(
            status: status, code: json?["code"].flatMap(code), message: json?["message"]?.text ?? json?["detail"]?.text)
        let code = refusal.code ?? ""
        if status == 429 || Code.rateLimited.contains(code) {
            return .rateLimited(retryAfterMilliseconds: wait(response, now: now))
        }
        switch status {
        case 401, 403: return .unauthorized
        case 404: return .notFound(refusal)
        case 408, 425: break
        case 400..<500 where Code.unauthorized.contains(code): return .unauthorized
        case 400..<500 where Code.notFound.contains(code): return .notFound(refusal)
        case 400..<500: return .invalid(refusal)
        default: break
        }
        return .unavailable(reason: StatusReason.word(status), mayHaveArrived: true)
    }

    private static func code(_ value: JSONValue) -> String? {
        value.integer.map(String.init) ?? value.text
    }

    /// Returns the wait after a 429 in milliseconds; always positive.
    private static func wait(_ response: ClientResponse, now: UnixMilliseconds) -> UInt64 {
        let header = response.header("X-RateLimit-RetryAfter") ?? response.header("Retry-After") ?? ""
        var wait = RetryAfter.milliseconds(from: header, now: now) ?? defaultWaitMilliseconds
        if let number = UInt64(header), number >= minimumUnixSeconds {
            wait = now.remaining(until: UnixSeconds(rawValue: min(number, 1 << 40)).milliseconds)
        }
        return min(max(wait, 1), longestWaitMilliseconds)
    }
}
