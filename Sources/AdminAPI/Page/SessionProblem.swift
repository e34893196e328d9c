internal import HTTPServer

/// The reason for rejecting a request's session. The raw value is the error code, and the outcome in the audit log.
enum SessionProblem: String, Error {
    case secretMissing = "session_secret_missing"
    case ended = "session_ended"

    private static let secretMissingAnswer = Response.error(
        401, code: secretMissing.rawValue,
        message: "The cookie of a session requires the session's secret in the header \(SessionCookie.secretHeader), as sent by the page. "
            + "Use the page, or send an admin token: Authorization: Bearer TOKEN.")
    private static let endedAnswer = Response.error(
        401, code: ended.rawValue, message: "The session has ended, or \(SessionCookie.secretHeader) is not its secret; sign in again.")

    var answer: Response {
        switch self {
        case .secretMissing: Self.secretMissingAnswer
        case .ended: Self.endedAnswer
        }
    }
}
