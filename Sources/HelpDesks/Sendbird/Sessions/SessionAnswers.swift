internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Observability
internal import Time

struct SessionAnswers: Sendable {
    private static let givenHeaders = [(name: "Content-Type", value: "application/json"), (name: "Cache-Control", value: "no-store")]
    private static let unavailableSeconds = 5

    let off = Response.error(404, code: "off", message: "This app has no session tokens.")
    let unusableUser = Response.error(400, code: "malformed", message: "user_id: the help desk takes no such id.")
    private let denied = AuthorizeRefusals().denied
    private let unavailable = Response.error(
        503, code: "unavailable", message: "The help desk cannot issue a session token now; retry later.",
        headers: [("Retry-After", "\(unavailableSeconds)")])

    func answer(to outcome: SessionOutcome, now: UnixMilliseconds) -> AuthenticatedAnswer {
        switch outcome {
        case .issued(let session): Self.answer(Self.given(session), result: .issued)
        case .kept(let session): Self.answer(Self.given(session), result: .kept)
        case .limited(let refusal): .limited(refusal, now: now)
        case .throttled(let milliseconds):
            Self.answer(
                Self.throttled(seconds: Self.seconds(milliseconds)), result: .throttled,
                reason: PlatformObserver.Outcome.rateLimited.rawValue)
        case .revoked: Self.answer(denied, result: .denied, reason: Denial.revoked.rawValue)
        case .expired: Self.answer(denied, result: .denied, reason: Denial.expired.rawValue)
        case .refusedUser: Self.answer(unusableUser, result: .malformed, reason: "refused_by_help_desk")
        case .unavailable(let reason): Self.answer(unavailable, result: .unavailable, reason: reason, level: .warning)
        }
    }

    private static func answer(
        _ response: Response, result: SessionResult, reason: String? = nil, level: LogLevel = .info
    ) -> AuthenticatedAnswer {
        AuthenticatedAnswer(response, result: result.rawValue, reason: reason, level: level)
    }

    private static func seconds(_ milliseconds: UInt64) -> UInt64 { (milliseconds + 999) / 1000 }

    private static func given(_ session: Session) -> Response {
        var body = JSONWriter(capacity: 256)
        body.beginObject()
        body.add("session_token", session.token.withSpan { String($0) })
        body.add("expires_at", Int64(clamping: session.expiresAt.seconds.rawValue))
        body.endObject()
        return Response(status: 200, headers: givenHeaders, body: body.bytes)
    }

    private static func throttled(seconds: UInt64) -> Response {
        Response(
            status: 429,
            json: [
                "error": "too_many_requests",
                "message": .string("The help desk accepts no more requests now; wait \(seconds) seconds."),
                "retry_after": .integer(Int64(clamping: seconds)), "limit": .null,
            ], headers: [("Retry-After", "\(seconds)")])
    }
}

extension SessionAnswers {
    static let description = RouteDescription(
        "Gets a session token for Sendbird Chat.",
        text: "The token never outlives the security key. Shadow mode issues no tokens.",
        body: RouteDescription.Body(
            Schema.object(CallDescription.credentials), form: Schema.object(CallDescription.credentials),
            example: .object(JSONObject(CallDescription.exampleCredentials))),
        answers: [
            RouteDescription.Answer(
                200, text: "The token, which must be kept secret, and the second in which it ends, in Unix time.",
                schema: Schema.object([("session_token", Schema.text), ("expires_at", Schema.integer(0...Int64.max))])),
            CallDescription.malformed, CallDescription.denied,
            RouteDescription.Answer(404, text: "The app has no session tokens (`off`)."),
            RouteDescription.Answer(
                429, text: "A limit of the app (in `limit`) or of Sendbird is reached.", schema: tooMany,
                headers: ["Retry-After"]),
            RouteDescription.Answer(
                503, text: "A failure of the service or of its dependencies, never a denial: Sendbird is unavailable (`unavailable`).",
                headers: ["Retry-After"]),
        ])

    private static let tooMany = Schema.object([
        ("error", Schema.choice(["too_many_requests"])), ("message", Schema.text), ("retry_after", Schema.integer(0...Int64.max)),
        (
            "limit",
            Schema.nullable(
                Schema.object([
                    ("per", Schema.choice([LimitRule.Scope.user, .app].map(\.rawValue))), ("max", Schema.integer),
                    ("window_seconds", Schema.integer),
                ]))
        ),
    ])
}
