package import Core
package import HTTPServer
internal import JSON
package import Time

/// The responses to callers whose security key does not authorize them; the same on every route.
package struct AuthorizeRefusals: Sendable {
    package init() {}

    /// 403, the same for every reason.
    package let denied = Response.error(403, code: "denied", message: "This user may not use the chat.")
    /// 503: an error of Deskgate, which must never look like a denial.
    package let undecided = Response.error(
        503, code: "undecided", message: "The request could not be decided; try again.", headers: [("Retry-After", "1")])
}

package struct StoreRefusals: Sendable {
    package init() {}

    /// For every error without a specific response.
    package let unavailable = refusal("unavailable", "It could not be stored; try again.", retryAfterSeconds: 5)
    private let queueFull = refusal("queue_full", "Too many deliveries are pending; try again later.", retryAfterSeconds: 30)
    private let diskFull = refusal("disk_full", "There is no room to store it; try again later.", retryAfterSeconds: 60)
    private let corrupt = refusal("corrupt", "The store is damaged; try again later.", retryAfterSeconds: 60)
    private let closed = refusal("closed", "The service is stopping; try again.", retryAfterSeconds: 1)

    package func response(_ kind: StoreError.Kind) -> Response {
        switch kind {
        case .queueFull: queueFull
        case .diskFull: diskFull
        case .corrupt: corrupt
        case .unavailable, .notOpen, .inDoubt, .tooLong: unavailable
        case .closed: closed
        }
    }

    private static func refusal(_ code: String, _ message: String, retryAfterSeconds: Int) -> Response {
        .error(503, code: code, message: message, headers: [("Retry-After", "\(retryAfterSeconds)")])
    }
}

extension Response {
    package static func limited(_ refusal: LimitRefusal, now: UnixMilliseconds) -> Response {
        let (rule, seconds) = (refusal.rule, refusal.seconds(at: now))
        let window = Int64(rule.windowMilliseconds / 1000)
        return Response(
            status: 429,
            json: [
                "error": "too_many_requests",
                "message": .string("At most \(rule.max) in \(window) seconds per \(rule.scope.rawValue); wait \(seconds) seconds."),
                "retry_after": .integer(Int64(clamping: seconds)),
                "limit": ["per": .string(rule.scope.rawValue), "max": .integer(Int64(rule.max)), "window_seconds": .integer(window)],
            ], headers: [("Retry-After", "\(seconds)")])
    }
}
