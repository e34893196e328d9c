internal import Core
internal import HTTPClient
internal import JSON

/// What a token server's answer means (RFC 6749 sections 5.1 and 5.2).
enum TokenAnswer {
    /// The errors of RFC 6749 section 5.2, and what Google says beside them; other texts are not repeated.
    private static let knownErrors = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        "access_denied", "deleted_client", "disabled_client", "org_internal",
    ]
    private static let longestToken = 16 * 1024

    static func read(_ response: ClientResponse, dependsOnClock: Bool, nowMilliseconds: UInt64) -> ProviderTokenFetch {
        let object = object(in: response)
        // An error is one even when it comes with a status of success.
        if isRefusal(response.status) || isSuccess(response.status) && object?["error"] != nil {
            let date = dependsOnClock ? response.header("Date") : nil
            return .refused(
                reason: "token_" + (object.flatMap(errorWord) ?? "status_\(response.status)"),
                providerUnixSeconds: ProviderClock.unixSeconds(ofDate: date, nowMilliseconds: nowMilliseconds))
        }
        guard isSuccess(response.status) else { return unavailable("token_status_\(response.status)", response, nowMilliseconds) }
        return object.flatMap(token) ?? unavailable("token_malformed", response, nowMilliseconds)
    }

    private static func isSuccess(_ status: Int) -> Bool { 200..<300 ~= status }

    /// Statuses that asking again will not change, which leaves out timeouts (408), replays (425) and too many requests (429).
    private static func isRefusal(_ status: Int) -> Bool { 400..<500 ~= status && ![408, 425, 429].contains(status) }

    private static func object(in response: ClientResponse) -> JSONObject? {
        guard !response.isTruncated, let document = try? JSONDocument(parsing: response.body.span),
            case .object(let object) = document.value()
        else { return nil }
        return object
    }

    private static func token(in object: JSONObject) -> ProviderTokenFetch? {
        guard case .string(let text)? = object["access_token"], isBearer(text), case .integer(let seconds)? = object["expires_in"],
            seconds > 0, isBearerType(object["token_type"])
        else { return nil }
        // A life longer than any clock can show is cut where it is used.
        return .token(text, lifetimeMilliseconds: UInt64(min(seconds, Int64.max / 1000)) * 1000)
    }

    /// Whether it may stand in an Authorization header (RFC 6750 section 2.1, more liberally: anything visible).
    private static func isBearer(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestToken && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// Compared in any case, as RFC 6749 section 5.1 says; a server that leaves it out can mean nothing else.
    private static func isBearerType(_ value: JSONValue?) -> Bool {
        switch value {
        case nil: true
        case .string(let type): type.lowercased() == "bearer"
        default: false
        }
    }

    /// A stable word for the error: one that is known, or Huawei's number.
    private static func errorWord(_ object: JSONObject) -> String? {
        switch object["error"] {
        case .string(let word): knownErrors.contains(word) ? word : nil
        case .integer(let number): 0...99_999 ~= number ? "error_\(number)" : nil
        default: nil
        }
    }

    private static func unavailable(_ reason: String, _ response: ClientResponse, _ nowMilliseconds: UInt64) -> ProviderTokenFetch {
        let retryAfter = response.header("Retry-After").flatMap { RetryAfter.milliseconds(from: $0, nowMilliseconds: nowMilliseconds) }
        return .unavailable(reason: reason, retryAfterMilliseconds: retryAfter)
    }
}
