internal import Bytes
internal import Crypto
internal import HTTPServer

/// Proof that a caller of the admin listener may be there (RFC 6750 section 2.1).
struct BearerToken: Sendable {
    private static let schemeCount = 7

    private let expected: SecretBytes?
    private let refused = Response.error(
        401, "unauthorized", "Send the admin token: Authorization: Bearer TOKEN.", headers: [("WWW-Authenticate", "Bearer")])
    private let unconfigured = Response.error(
        401, "unauthorized", "No admin token is configured; set admin.token.", headers: [("WWW-Authenticate", "Bearer")])

    init(_ expected: SecretBytes?) {
        self.expected = expected
    }

    /// Nil when the request shows the token, otherwise the answer to give.
    func refusal(of request: borrowing Request) -> Response? {
        guard let expected else { return unconfigured }
        var isGenuine = false
        request.withHeader("Authorization") { value in
            if let value, value.count > Self.schemeCount, value.extracting(..<Self.schemeCount).equalsIgnoringCase("bearer ") {
                isGenuine = expected.withSpan { constantTimeEquals($0, value.extracting(Self.schemeCount...)) }
            }
        }
        return isGenuine ? nil : refused
    }
}
