internal import Core
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Observability
internal import Time

enum CallResult: String, Sendable, CaseIterable {
    /// The backend's 2xx, or its 4xx other than 401.
    case succeeded, refused
    /// No usable answer, or no answer in time.
    case failed
    case timedOut = "timed_out"
    case invalid
    case limited
    case denied
    case confirmationRequired = "confirmation_required"
    /// The change was made before, or is in progress.
    case repeated
    /// A failure of Deskgate: the backend was not called.
    case unavailable
    /// The service was stopped during the call.
    case unknown
}

enum CallReply: Sendable {
    case answer(FunctionAnswer)
    case refusal(CallRefusal)

    /// The approximate memory use in bytes.
    var byteCount: Int {
        switch self {
        case .answer(let answer): answer.json.count + 128
        case .refusal(let refusal): refusal.response.body.count + 512
        }
    }

    /// The answer to the vendor: the backend's own status and JSON.
    var response: Response {
        switch self {
        case .refusal(let refusal): refusal.response
        case .answer(let answer):
            Response(
                status: answer.status, headers: (answer.hasBody ? Self.jsonType : []) + Self.notStored,
                body: answer.hasBody ? answer.json : [])
        }
    }

    /// Returns the answer in the vendor-neutral form: 200 with an object that contains the backend's status and JSON.
    /// - Parameter endpoint: the function's public URL, by which an app recognizes the type of the answer.
    func response(endpoint: String) -> Response {
        switch self {
        case .refusal(let refusal): return refusal.response
        case .answer(let answer):
            var body = Array(#"{"status_code":\#(answer.status),"endpoint":"#.utf8)
            body += JSONValue.string(endpoint).serialized()
            body += Array(#","response":"#.utf8)
            body += answer.json
            body.append(UInt8(ascii: "}"))
            return Response(status: 200, headers: Self.jsonType + Self.notStored, body: body)
        }
    }

    private static let jsonType = [(name: "Content-Type", value: "application/json")]
    private static let notStored = [(name: "Cache-Control", value: "no-store")]
}

/// Deskgate's own answer to a call, with its fields for metrics, the log and the store.
struct CallRefusal: Error {
    let response: Response
    let result: CallResult
    /// A stable word, for the log and the store.
    let reason: String
    let level: LogLevel

    init(_ response: Response, _ result: CallResult, reason: String, level: LogLevel = .info) {
        (self.response, self.result, self.reason, self.level) = (response, result, reason, level)
    }

    /// The outcome to store; nil to store nothing.
    var outcome: BotCall.Outcome? {
        switch result {
        case .invalid: .invalid
        case .limited: .limited
        case .denied: .denied
        case .confirmationRequired: .confirmationRequired
        default: nil
        }
    }
}

extension CallRefusal {
    static let unknownBot = CallRefusal(.error(404, code: "not_found", message: "There is no such bot."), .invalid, reason: "unknown_bot")
    static let unknownFunction = CallRefusal(
        .error(404, code: "not_found", message: "This bot has no such function."), .invalid, reason: "unknown_function")
    static let notByGet = CallRefusal(
        .error(
            405, code: "method_not_allowed", message: "This function changes something, so it is called with POST.",
            headers: [("Allow", "POST")]),
        .invalid, reason: "method")
    static let noTicket = unauthorized("Send the ticket in the header Authorization: Bearer TICKET.", reason: "no_ticket")
    static let malformedTicket = unauthorized("This is not a ticket.", reason: "malformed_ticket")
    static let expiredTicket = unauthorized("The ticket is no longer valid; start the bot again.", reason: "expired_ticket")
    /// 403, the same for every reason.
    static func denied(_ reason: String) -> CallRefusal {
        CallRefusal(.error(403, code: "denied", message: "This ticket does not allow this call."), .denied, reason: reason)
    }
    /// 403 for a confirmation of another user or bot, the same for every reason.
    static func foreignConfirmation(_ reason: String) -> CallRefusal {
        CallRefusal(.error(403, code: "denied", message: "This confirmation does not allow this call."), .denied, reason: reason)
    }
    static let malformedConfirmation = CallRefusal(
        .error(400, code: "invalid_confirmation", message: "This is not a confirmation."), .invalid, reason: "malformed_confirmation")
    static let otherArguments = CallRefusal(
        .error(
            400, code: "invalid_confirmation", message: "The confirmation is for another call; call without it to get one for this call."),
        .invalid,
        reason: "other_arguments")
    static let expiredConfirmation = CallRefusal(
        .error(409, code: "confirmation_expired", message: "The confirmation is no longer valid; ask the bot again."), .denied,
        reason: "expired_confirmation")
    /// 503: a failure of Deskgate, which must never look like a denial.
    static func undecided(_ reason: String) -> CallRefusal {
        CallRefusal(
            .error(503, code: "undecided", message: "The request could not be decided; try again.", headers: [("Retry-After", "1")]),
            .unavailable,
            reason: reason, level: .error)
    }
    static let busy = CallRefusal(
        .error(503, code: "busy", message: "Too many calls are under way; try again shortly.", headers: [("Retry-After", "2")]),
        .unavailable, reason: "busy", level: .warning)
    /// 503 for a change that could not be stored in time; the backend was not called.
    static let late = CallRefusal(
        .error(
            503, code: "unavailable", message: "Nothing was done: the call could not be stored in time. Try again.",
            headers: [("Retry-After", "5")]),
        .unavailable, reason: "late", level: .warning)

    /// 400 with a sentence that the model can act on.
    static func invalid(_ problem: BotArgumentsProblem, code: String = "invalid_arguments", reason: String = "arguments") -> CallRefusal {
        CallRefusal(.error(400, code: code, message: sentence(problem.description)), .invalid, reason: reason)
    }

    static func malformed(_ problem: BotArgumentsProblem) -> CallRefusal { invalid(problem, code: "malformed", reason: "body") }

    static let tooLong = CallRefusal(
        .error(413, code: "arguments_too_long", message: "The arguments exceed \(ReceivedArguments.longest) bytes."), .invalid,
        reason: "too_long")

    static func limited(_ refusal: LimitRefusal, now: UnixMilliseconds) -> CallRefusal {
        CallRefusal(.limited(refusal, now: now), .limited, reason: "limit_per_\(refusal.rule.scope.rawValue)")
    }

    /// 429 for a user whose refused calls contained too many bytes; the arguments were not read.
    static func exhausted(seconds: UInt64) -> CallRefusal {
        let megabytes = RefusalSampler.bytesPerMinute >> 20
        let response = Response(
            status: 429,
            json: [
                "error": "too_many_requests",
                "message": .string("Refused calls of this user contained \(megabytes) MiB within a minute; wait \(seconds) seconds."),
                "retry_after": .integer(Int64(clamping: seconds)),
            ], headers: [("Retry-After", "\(seconds)")])
        return CallRefusal(response, .limited, reason: "refused_bytes")
    }

    /// 503 for a change that the store rejects; the backend was not called.
    static func notStored(_ response: Response, _ kind: StoreError.Kind) -> CallRefusal {
        CallRefusal(response, .unavailable, reason: "store_\(kind)", level: .warning)
    }

    private static func unauthorized(_ message: String, reason: String) -> CallRefusal {
        CallRefusal(
            .error(401, code: "unauthorized", message: message, headers: [("WWW-Authenticate", "Bearer")]), .denied, reason: reason)
    }

    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : "\(text)." }
}
