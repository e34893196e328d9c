internal import Bytes
internal import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

/// The mapping between queries about calls of bots and requests to the admin listener, in both directions.
extension BotCallAction {
    private static let path: StaticString = "/v1/bots/calls"
    private static let criteria = [
        AdminRoute.Parameter("app_id", place: .query, text: "The app."),
        AdminRoute.Parameter("user_id", place: .query, text: "The user for whom the bot called."),
        AdminRoute.Parameter("bot", place: .query, text: "The bot."),
        AdminRoute.Parameter("function", place: .query, text: "The function."),
        AdminRoute.Parameter("outcome", place: .query, kind: .choice(outcomes), text: "Its outcome."),
        AdminRoute.Parameter("since", place: .query, kind: .time, text: "It began at this time or later."),
    ]

    private static let types: [String: JSONValue] = [
        "id": AdminSchema.uuid, "user_id": Schema.text, "bot": Schema.text, "function": Schema.text, "arguments_sha256": Schema.text,
        "arguments": AdminSchema.maybeText, "outcome": Schema.choice(outcomes), "status_code": Schema.nullable(Schema.integer(100...599)),
        "reason": AdminSchema.maybeText, "meaning": Schema.text, "remedy": AdminSchema.maybeText, "at": Schema.time,
        "ended_at": AdminSchema.maybeTime,
    ]

    /// The routes of calls of bots: list, show.
    static let routes = [
        AdminRoute(
            .get, path: path, role: .read, summary: "The calls of bots' functions that match all criteria, the latest first.",
            parameters: criteria + AdminQuery.page + [Language.parameter],
            answer: AdminRoute.Answer(
                ["calls", "next"], ["calls": Schema.array(AdminSchema.object(BotCall.members, types))],
                text: "The calls, each with the meaning of its outcome, and the position of the next page; null at the end.",
                links: .botCall("/calls/0/id")),
            handling: .fromStore { request throws(AdminProblem) in
                let values = try AdminQuery(request.queryItems()).values(of: criteria + AdminQuery.page + [Language.parameter])
                return try listing { values[$0] }
            }),
        AdminRoute(
            .get, path: "/v1/bots/calls/:id", role: .read, summary: "One call of a bot's function.",
            parameters: [AdminRoute.Parameter("id", place: .path, isRequired: true, text: "The call's id."), Language.parameter],
            answer: AdminRoute.Answer(BotCall.members, types, text: "The call."),
            handling: .fromStore { request throws(AdminProblem) in
                let values = try AdminQuery(request.queryItems()).values(of: [Language.parameter])
                let language = try Language(parameter: values[Language.parameter.name])
                return request.withPathParameter { parameter in
                    String(validating: Array(copying: parameter), as: UTF8.self).flatMap { UUIDv7($0) }.map {
                        BotCallAction.show($0, language)
                    }
                }
            }),
    ]

    package var request: AdminRequest {
        switch self {
        case .list(let filter, let after, let limit, let language):
            let texts = [
                ("app_id", filter.appID), ("user_id", filter.userID), ("bot", filter.bot), ("function", filter.function),
                ("outcome", filter.outcome?.rawValue), ("since", filter.since.map { RFC3339.text($0) }),
                ("after", after?.description), ("limit", "\(limit)"), (Language.parameter.name, language.rawValue),
            ]
            return AdminRequest(.get, "\(Self.path)", query: texts.compactMap { name, text in text.map { (name, $0) } })
        case .show(let id, let language):
            return AdminRequest(.get, "\(Self.path)/\(id)", query: [(Language.parameter.name, language.rawValue)])
        }
    }
}
