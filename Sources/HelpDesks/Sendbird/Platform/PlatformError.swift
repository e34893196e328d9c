/// The failure of a request to Sendbird. Printing it shows nothing that Sendbird or a user wrote.
package enum PlatformError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Every configured token is refused, or may not do this.
    case unauthorized
    /// The requested user, channel or ticket does not exist.
    case notFound(PlatformRefusal)
    /// Sendbird refuses the request as it is; the same request would be refused again.
    case invalid(PlatformRefusal)
    /// Too many requests, says Sendbird.
    /// - Parameter retryAfterMilliseconds: when the next request may be sent; positive.
    case rateLimited(retryAfterMilliseconds: UInt64)
    /// Not sent, because Sendbird has asked to wait and that time is not over; otherwise as `rateLimited`.
    case heldBack(retryAfterMilliseconds: UInt64)
    /// There was no usable answer; a later request may have one.
    /// - Parameters:
    ///   - reason: a stable word for metrics and logs, such as `timeout` or `status_503`.
    ///   - mayHaveArrived: whether Sendbird may have acted on the request.
    case unavailable(reason: String, mayHaveArrived: Bool)

    /// Whether Sendbird may have received the request.
    var mayHaveArrived: Bool {
        switch self {
        case .heldBack: false
        case .unavailable(_, let mayHaveArrived): mayHaveArrived
        case .unauthorized, .notFound, .invalid, .rateLimited: true
        }
    }

    /// The outcome, as metrics and logs call it.
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
        case .notFound(let refusal): "Sendbird does not have it (\(refusal))"
        case .invalid(let refusal): "Sendbird refuses the request (\(refusal))"
        case .rateLimited(let milliseconds), .heldBack(let milliseconds):
            "Sendbird rejects requests beyond its limit; wait \((milliseconds + 999) / 1000) seconds"
        case .unavailable(let reason, _): "Sendbird cannot be used (\(reason))"
        }
    }
}

/// An answer's statement about the request that it rejects.
package struct PlatformRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The most bytes of `code` and of `message`; longer ones are left out.
    static let longestCode = 64
    static let longestMessage = 500

    package let status: Int
    /// Sendbird's code for the mistake, such as `400201`; visible ASCII without spaces. Nil when the answer has none.
    package let code: String?
    /// Sendbird's words for a person, which may quote what the request said: never for a log, a metric or a stranger.
    package let message: String?

    package init(status: Int, code: String? = nil, message: String? = nil) {
        self.status = status
        self.code = code.flatMap { Self.isCode($0) ? $0 : nil }
        self.message = message.flatMap { $0.utf8.count <= Self.longestMessage ? $0 : nil }
    }

    /// Status and code; no message.
    package var description: String {
        code.map { "status \(status), code \($0)" } ?? "status \(status)"
    }

    private static func isCode(_ code: String) -> Bool {
        (1...longestCode).contains(code.utf8.count) && code.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}

extension PlatformRefusal: CustomReflectable {
    /// Status and code; no message.
    package var customMirror: Mirror { Mirror(self, children: ["status": status, "code": code as Any]) }
}
