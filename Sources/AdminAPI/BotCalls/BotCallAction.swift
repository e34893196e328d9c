package import Core
internal import JSON
internal import Time

/// An operator's query about calls of bots' functions.
package enum BotCallAction: AdminAction, Equatable {
    /// Lists matching calls, the latest first, at most `limit`, after the end of an earlier page.
    case list(BotCallFilter, after: BotCallCursor?, limit: Int, Language = .english)
    case show(UUIDv7, Language = .english)

    /// Makes a list action from texts by the names of parameters.
    /// - Parameter value: the text of a parameter; nil when it is missing.
    package static func listing(_ value: (_ name: String) -> String?) throws(AdminProblem) -> BotCallAction {
        var filter = BotCallFilter()
        (filter.appID, filter.userID, filter.bot, filter.function) = (value("app_id"), value("user_id"), value("bot"), value("function"))
        filter.outcome = try value("outcome").map { text throws(AdminProblem) in
            guard let outcome = BotCall.Outcome(rawValue: text) else {
                throw AdminProblem("outcome", "expected \(outcomes.joined(separator: ", ")).")
            }
            return outcome
        }
        filter.since = try value("since").map { text throws(AdminProblem) in try DeliveryCriteria.time("since", text) }
        let after = try value("after").map { text throws(AdminProblem) in
            guard let cursor = BotCallCursor(text) else { throw AdminProblem("after", "expected the value of next from an earlier list.") }
            return cursor
        }
        let limit = try value("limit").map { text throws(AdminProblem) in try AdminQuery.limit(text) }
        return .list(
            filter, after: after, limit: limit ?? AdminAnswer.defaultLimit, try Language(parameter: value(Language.parameter.name)))
    }

    package static let outcomes = BotCall.Outcome.allCases.map(\.rawValue)

    package var change: String? { nil }

    package var shortening: String { "name the user with app_id and user_id, or a time with since, which an index finds" }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        switch self {
        case .list(let filter, let after, let limit, let language):
            let page = try context.store.botCalls(filter, after: after, limit: limit)
            if page.calls.isEmpty, page.next == nil, let appID = filter.appID, !context.isConfigured(appID) {
                return .unknownApp(appID, context.state.names.apps)
            }
            return AdminAnswer([
                "calls": .array(page.calls.map { .object($0.json(context, in: language)) }),
                "next": page.next.map { .string($0.description) } ?? .null,
            ])
        case .show(let id, let language):
            guard let call = try context.store.botCall(id) else { return .error(404, code: "not_found", message: "No call has this id.") }
            return AdminAnswer(.object(call.json(context, in: language)))
        }
    }
}

extension AdminContext {
    fileprivate func isConfigured(_ appID: String) -> Bool { state.authorizer.index(of: appID.utf8.span) != nil }
}

extension BotCall {
    static let members = [
        "id", "app_id", "user_id", "user_ref", "bot", "function", "arguments_sha256", "arguments", "outcome", "status_code", "reason",
        "meaning", "remedy", "at", "ended_at",
    ]

    /// The call in the JSON for operators, without the key, because the key would allow a repetition.
    func json(_ context: AdminContext, in language: Language) -> JSONObject {
        let meaning = BotCallMeaning(self)
        return [
            "id": .string(id.description), "app_id": .string(appID), "user_id": .string(userID),
            "user_ref": context.userReference(appID, userID).map { .string($0) } ?? .null, "bot": .string(bot),
            "function": .string(function), "arguments_sha256": .string(argumentsSHA256),
            "arguments": arguments.map { .string($0) } ?? .null, "outcome": .string(outcome.rawValue),
            "status_code": statusCode.map { .integer(Int64($0)) } ?? .null, "reason": reason.map { .string($0) } ?? .null,
            "meaning": JSONValue(meaning.text, in: language), "remedy": JSONValue(meaning.remedy, in: language),
            "at": .string(RFC3339.text(at)), "ended_at": endedAt.map { .string(RFC3339.text($0)) } ?? .null,
        ]
    }
}
