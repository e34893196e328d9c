internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Time

/// The answers to calls for session tokens.
struct SessionAnswers: Sendable {
    private static let noStore = (name: "Cache-Control", value: "no-store")
    private static let unavailableSeconds = 5

    let denied: Response
    let undecided: Response
    let off = Response.error(404, "off", "This app has no session tokens.")
    let unusableUser = Response.error(400, "malformed", "user_id: the help desk takes no such id.")
    private let unavailable = Response.error(
        503, "unavailable", "The help desk gives no session token now; try again.", headers: [("Retry-After", "\(unavailableSeconds)")])

    init() {
        let refusals = AuthorizeRefusals()
        (denied, undecided) = (refusals.denied, refusals.undecided)
    }

    /// The result and the answer of an outcome.
    func answer(to outcome: SessionOutcome, now: UnixMilliseconds) -> (SessionCounters.Result, Response) {
        switch outcome {
        case .issued(let session): (.issued, Self.given(session))
        case .kept(let session): (.kept, Self.given(session))
        case .limited(let rule, let until): (.limited, Self.limited(rule, seconds: Self.seconds(now.remaining(until: until))))
        case .throttled(let milliseconds): (.throttled, Self.throttled(seconds: Self.seconds(milliseconds)))
        case .revoked, .expired: (.denied, denied)
        case .refusedUser: (.malformed, unusableUser)
        case .unavailable: (.unavailable, unavailable)
        }
    }

    private static func seconds(_ milliseconds: UInt64) -> UInt64 { (milliseconds + 999) / 1000 }

    private static func given(_ session: Session) -> Response {
        let token = session.token.withSpan { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
        return Response(
            status: 200,
            json: ["session_token": .string(token), "expires_at": .integer(Int64(clamping: session.expiresAt.seconds.rawValue))],
            headers: [noStore])
    }

    private static func limited(_ rule: LimitRule, seconds: UInt64) -> Response {
        let window = Int64(rule.windowMilliseconds / 1000)
        return tooMany(
            "At most \(rule.max) new tokens in \(window) seconds per \(rule.scope.rawValue); wait \(seconds) seconds.", seconds,
            ["per": .string(rule.scope.rawValue), "max": .integer(Int64(rule.max)), "window_seconds": .integer(window)])
    }

    private static func throttled(seconds: UInt64) -> Response {
        tooMany("The help desk takes no more requests now; wait \(seconds) seconds.", seconds, .null)
    }

    private static func tooMany(_ message: String, _ seconds: UInt64, _ limit: JSONValue) -> Response {
        Response(
            status: 429,
            json: [
                "error": "too_many_requests", "message": .string(message), "retry_after": .integer(Int64(clamping: seconds)),
                "limit": limit,
            ], headers: [("Retry-After", "\(seconds)")])
    }
}

extension SessionAnswers {
    /// The route, as the OpenAPI document describes it.
    static let description = RouteDescription(
        "Gets a session token for Sendbird Chat.",
        text: "The token never outlives the security key. The shadow mode of an app gives nobody a token.",
        body: RouteDescription.Body(
            Schema.object(CallDescription.credentials), form: Schema.object(CallDescription.credentials),
            example: .object(JSONObject(CallDescription.exampleCredentials))),
        answers: [
            RouteDescription.Answer(
                200, "The token, which must be kept secret, and the second in which it ends, in Unix time.",
                Schema.object([("session_token", Schema.text), ("expires_at", Schema.integer(0...Int64.max))])),
            CallDescription.malformed, CallDescription.denied,
            RouteDescription.Answer(404, "The app has no session tokens (`off`)."),
            RouteDescription.Answer(
                429, "A limit of the app's (`limit` tells which) or of Sendbird's is reached.", tooMany, headers: ["Retry-After"]),
            RouteDescription.Answer(
                503, "A failure of the service or of what it depends on, never a denial: Sendbird is away (`unavailable`).",
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
