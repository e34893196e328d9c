/// An error of a request to Sendbird. The description contains no text from Sendbird or a user.
package enum PlatformError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Sendbird rejects every configured token, or the tokens lack permission.
    case unauthorized
    /// The object of the request, such as a user, a channel or a ticket, does not exist.
    case notFound(PlatformRefusal)
    /// Sendbird rejects the request, and would reject it again.
    case invalid(PlatformRefusal)
    /// Sendbird's rate limit is reached.
    /// - Parameter retryAfterMilliseconds: positive.
    case rateLimited(retryAfterMilliseconds: UInt64)
    /// The request was not sent, because the wait after an earlier `rateLimited` is not over.
    case heldBack(retryAfterMilliseconds: UInt64)
    /// Sendbird did not return a usable answer; a retry may succeed.
    /// - Parameters:
    ///   - reason: a stable identifier for metrics and logs, such as `timeout` or `status_503`.
    ///   - mayHaveArrived: whether Sendbird may have acted on the request.
    case unavailable(reason: String, mayHaveArrived: Bool)

    var mayHaveArrived: Bool {
        switch self {
        case .heldBack: false
        case .unavailable(_, let mayHaveArrived): mayHaveArrived
        case .unauthorized, .notFound, .invalid, .rateLimited: true
        }
    }

    package var word: String {
        switch self {
        case .unauthorized: "unauthorized"
        case .notFound: "not_found"
        case .invalid: "invalid"
        case .rateLimited: "rate_limited"
        case .heldBack: "held_back"
        case .unavailable: "unavailable"
        }
    }

    package var description: String {
        switch self {
        case .unauthorized: "Sendbird refuses the API token"
        case .notFound(let refusal): "Sendbird does not have the requested object (\(refusal))"
        case .invalid(let refusal): "Sendbird refuses the request (\(refusal))"
        case .rateLimited(let milliseconds), .heldBack(let milliseconds):
            "Sendbird rejects requests beyond its limit; wait \((milliseconds + 999) / 1000) seconds"
        case .unavailable(let reason, _): "Sendbird cannot be used (\(reason))"
        }
    }
}

package struct PlatformRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The maximum length in bytes of an error code. Longer codes are omitted.
    static let longestCode = 64
    static let longestMessage = 500

    package let status: Int
    /// Sendbird's error code, such as `400201`; visible ASCII without spaces. Nil when the answer has none.
    package let code: String?
    /// Sendbird's error message, which may quote the request. It must not appear in logs, in metrics or in answers to unauthenticated
    /// callers.
    package let message: String?

    package init(status: Int, code: String? = nil, message: String? = nil) {
        self.status = status
        self.code = code.flatMap { Self.isCode($0) ? $0 : nil }
        self.message = message.flatMap { $0.utf8.count <= Self.longestMessage ? $0 : nil }
    }

    /// The description, without Sendbird's message.
    package var description: String {
        code.map { "status \(status), code \($0)" } ?? "status \(status)"
    }

    private static func isCode(_ code: String) -> Bool {
        (1...longestCode).contains(code.utf8.count) && code.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}

extension PlatformRefusal: CustomReflectable {
    /// Omits Sendbird's message.
    package var customMirror: Mirror { Mirror(self, children: ["status": status, "code": code as Any]) }
}
