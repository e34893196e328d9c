internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Observability
internal import Threading
internal import Time

struct PersonRoutes: Sendable {
    static let startPath: StaticString = "/bots/:name/start"
    static let confirmPath: StaticString = "/bots/:name/confirm"
    private static let startBodyLimit = 32 * 1024
    private static let confirmBodyLimit = BotConfirmationToken.longestText + 8 * 1024

    let state: SnapshotReference<BotsState>
    let services: HelpDeskServices
    let metrics: BotMetrics
    let gate: CallGate
    let caller: BotCaller

    var routes: [Route] { [start.route, confirm.route] }

    // MARK: Start

    private var start: AuthenticatedRoute {
        let unknown = metrics.starts(bot: "")
        return AuthenticatedRoute(
            Self.startPath, of: nil, bodyLimit: Self.startBodyLimit, timeoutMilliseconds: TimeLimit.milliseconds(1000),
            description: BotDescriptions.start, services, reading: .object { body throws(BodyError) in try Self.fields(body) },
            count: { [state] result, _, name in
                let counters = state.current.bot(name)?.starts ?? unknown
                counters.increment(BotMetrics.StartResult(rawValue: result) ?? .malformed)
            }
        ) { caller, fields in .answer(start(caller, fields)) }
    }

    private static func fields(_ body: JSONObject) throws(BodyError) -> [(name: String, text: String)] {
        let expectation = "expected an object of at most \(BotPrompt.maximumFields) strings"
        let members: [JSONObject.Member]
        switch body["fields"] {
        case nil, .null: members = []
        case .object(let object) where object.members.count <= BotPrompt.maximumFields: members = object.members
        default: throw .unexpected(field: "fields", expectation: expectation)
        }
        var fields: [(name: String, text: String)] = []
        for member in members {
            guard let text = member.value.text else { throw .unexpected(field: "fields", expectation: expectation) }
            fields.append((member.key, text))
        }
        return fields
    }

    private func start(_ person: AuthenticatedCaller, _ fields: [(name: String, text: String)]) -> AuthenticatedAnswer {
        guard let bot = state.current.bot(person.parameter) else {
            return AuthenticatedAnswer(CallRefusal.unknownBot.response, result: "malformed", reason: "unknown_bot")
        }
        guard bot.definition.apps.contains(where: { $0.utf8.elementsEqual(person.appID.utf8) }) else {
            return AuthenticatedAnswer(AuthorizeRefusals().denied, result: "denied", reason: "other_app")
        }
        let prompt: BotPrompt
        do throws(BotArgumentsProblem) {
            prompt = try BotPrompt(of: bot.definition, userID: person.userID, fields: fields)
        } catch {
            return AuthenticatedAnswer(
                .error(400, code: "malformed", message: "\(error.description)."), result: "malformed", reason: "fields")
        }
        let grant = BotGrant(
            appID: person.appID, userID: person.userID, key: person.keyIdentity, keyEnd: person.latest.seconds,
            issuedAt: services.sharedNow, lifetimeSeconds: bot.definition.ticketLifetimeSeconds)
        guard let grant else {
            return AuthenticatedAnswer(AuthorizeRefusals().denied, result: "denied", reason: Denial.expired.rawValue)
        }
        do throws(CryptoError) {
            let ticket = BotAccessToken(grant, startID: try services.random.word())
            return AuthenticatedAnswer(Self.response(prompt, text: try ticket.text(for: bot.definition), ticket: ticket), result: "started")
        } catch {
            return AuthenticatedAnswer(AuthorizeRefusals().undecided, result: "unavailable", reason: "internal_error", level: .error)
        }
    }

    private static func response(_ prompt: BotPrompt, text: String, ticket: BotAccessToken) -> Response {
        Response(
            status: 200,
            json: [
                "ai_attrs": .string(prompt.aiAttributes(ticket: text)),
                "first_message_data": prompt.firstMessageData.map { .string($0) } ?? .null, "tools": prompt.tools,
                "ticket": .string(text), "expires_at": .integer(Int64(clamping: ticket.grant.expiresAt.rawValue)),
            ], headers: [("Cache-Control", "no-store")])
    }

    // MARK: Confirm

    private var confirm: AuthenticatedRoute {
        AuthenticatedRoute(
            Self.confirmPath, of: nil, bodyLimit: Self.confirmBodyLimit,
            timeoutMilliseconds: state.current.longestTimeoutMilliseconds + BotCaller.storeMilliseconds + BotCaller.marginMilliseconds,
            description: BotDescriptions.confirm, services,
            reading: .text("confirmation", longest: BotConfirmationToken.longestText) { text throws(BodyError) in
                guard let text else {
                    throw .unexpected(field: "confirmation", expectation: "it is missing; give the confirmation from the call's answer")
                }
                return text
            }, count: { _, _, _ in }
        ) { person, text in confirm(person, text) }
    }

    private func confirm(_ person: AuthenticatedCaller, _ text: String) -> AuthenticatedResponse {
        let state = state.current
        guard let bot = state.bot(person.parameter) else {
            return .answer(AuthenticatedAnswer(CallRefusal.unknownBot.response, result: "invalid", reason: "unknown_bot"))
        }
        switch gate.decide(confirming: text, by: person, bot, state) {
        // The failure has already been logged.
        case .refuse(let reply): return .answer(AuthenticatedAnswer(reply.response(endpoint: ""), result: reply.result.rawValue))
        case .perform(let call):
            return .later { [caller] complete in
                caller.perform(call) { reply in
                    complete(AuthenticatedAnswer(reply.response(endpoint: call.function.endpoint), result: reply.result.rawValue))
                }
            }
        }
    }
}
