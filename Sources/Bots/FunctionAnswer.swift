internal import HTTPClient
internal import JSON

/// The answer of a company's backend, forwarded unchanged, or Deskgate's form of the help desk's answer.
struct FunctionAnswer: Sendable {
    /// The maximum size of a backend's answer, in bytes.
    static let longest = 256 * 1024
    /// The maximum number of values, which limits the memory for parsing.
    private static let maximumValues = 100_000

    /// 200 to 299, or 400 to 499 other than 401.
    let status: Int
    /// Compact JSON; `null` when the backend has not sent a body.
    let json: [UInt8]
    /// Whether it is certain that nothing was changed; true only for refusals of the help desk.
    let changedNothing: Bool

    /// Makes the answer for a help desk's result.
    /// - Parameter json: an object.
    init(status: Int, _ json: JSONValue, changedNothing: Bool) {
        (self.status, self.json, self.changedNothing) = (status, json.serialized(), changedNothing)
    }

    /// Converts the answer of a backend; throws when it cannot be forwarded.
    init(_ response: ClientResponse) throws(BackendFault) {
        changedNothing = false
        switch response.status {
        // The backend rejects Deskgate's signature or secret, or forwards the 401 of another system. To the caller, a 401 would be about
        // the ticket.
        case 401: throw BackendFault(.unauthorized, status: 401)
        case 200..<300, 400..<500: status = response.status
        case 300..<400: throw BackendFault(.redirect, status: response.status)
        default: throw BackendFault(.serverError, status: response.status)
        }
        guard !response.isTruncated else { throw BackendFault(.tooLarge, status: status) }
        guard !response.body.isEmpty else {
            json = Array("null".utf8)
            return
        }
        guard Self.isJSON(response.header("Content-Type")) else { throw BackendFault(.notJSON, status: status) }
        do throws(JSONError) {
            json = try JSONElement.compacted(response.body, maximumValues: Self.maximumValues)
        } catch {
            throw BackendFault(.malformedJSON, status: status)
        }
    }

    /// Whether the answer may have a body: not with 204 and 205 (RFC 9110 sections 15.3.5 and 15.3.6).
    var hasBody: Bool { status != 204 && status != 205 }

    /// Whether a media type is JSON: `application/json`, or one with the suffix `+json` (RFC 6839 section 3.1).
    private static func isJSON(_ contentType: String?) -> Bool {
        guard let type = contentType?.split(separator: ";", omittingEmptySubsequences: false).first else { return false }
        let name = type.filter { $0 != " " && $0 != "\t" }.lowercased()
        return name == "application/json" || name.hasPrefix("application/") && name.hasSuffix("+json")
    }
}

/// A failed call of a backend, or an answer that cannot be forwarded.
struct BackendFault: Error {
    enum Reason: String, CaseIterable {
        /// A 3xx: redirects are not followed.
        case redirect
        /// A 401: the backend rejects Deskgate's signature or secret.
        case unauthorized
        /// A 5xx, or a status above that.
        case serverError = "server_error"
        /// The answer is longer than `FunctionAnswer.longest`, or its headers are longer than 64 KiB.
        case tooLarge = "too_large"
        case notJSON = "not_json"
        case malformedJSON = "malformed_json"
        /// The name cannot be resolved, the connection is refused, or TLS verification fails.
        case unreachable
        /// The connection ended before the answer was complete, or the answer is not HTTP.
        case brokenOff = "broken_off"
        case timeout
        case overloaded
        case stopped
        /// The help desk rejects Deskgate's token, or returns another answer that leaves the outcome of the hand-off open.
        case helpDeskToken = "help_desk_token"
        case helpDeskUnavailable = "help_desk_unavailable"
        /// The help desk is unreachable, and no byte was sent to it.
        case helpDeskAway = "help_desk_away"
        case internalError = "internal_error"
    }

    let reason: Reason
    /// Nil when no answer arrived.
    let status: Int?
    let mayBeDone: Bool

    /// - Parameter mayBeDone: false only if nothing was sent.
    init(_ reason: Reason, status: Int? = nil, mayBeDone: Bool = true) {
        (self.reason, self.status, self.mayBeDone) = (reason, status, mayBeDone)
    }

    init(_ error: ClientError) {
        let reason: Reason =
            switch error {
            case .timeout(.queued), .overloaded: .overloaded
            case .timeout: .timeout
            case .cancelled: .stopped
            case .resolve, .connect, .proxy, .tls: .unreachable
            case .headersTooLarge: .tooLarge
            case .invalidURL: .internalError
            case .closedEarly, .reset, .malformedResponse, .other: .brokenOff
            }
        self.init(reason, mayBeDone: !error.isBeforeSending)
    }
}
