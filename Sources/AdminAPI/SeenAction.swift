package import Configuration
package import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Threading
internal import Time

/// Records that a person has read one ticket or all tickets until now. Pending pushes about these tickets are not sent. The app's notifiers
/// that post or log events, or withdraw notifications, receive an event.
package struct SeenAction: AdminAction, Equatable {
    private static let timeoutMilliseconds: UInt64 = TimeLimit.milliseconds(30_000)

    private let person: AppUser
    private let ticketID: HelpDeskID?

    /// Checks the fields.
    /// - Parameter ticketID: an id of the help desk; nil for all tickets.
    package init(appID: String?, userID: String?, ticketID: String?) throws(AdminProblem) {
        person = AppUser(appID: try PersonFields.app(appID), userID: try PersonFields.user(userID))
        self.ticketID = try ticketID.map { text throws(AdminProblem) in try DeliveryCriteria.identity("ticket_id", text) }
    }

    package var change: String? { "users.seen" }

    /// The role of backends, because backends detect reads of their users.
    package var role: AdminToken.Role { .mint }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        guard context.state.authorizer.index(of: person.appID.utf8.span) != nil else {
            return .unknownApp(person.appID, context.state.names.apps)
        }
        let subscriptions = context.state.subscriptions
        let isChannel = subscriptions.nameTicketsByChannel(person.appID)
        if isChannel, let ticketID, Int64(ticketID.text) != nil {
            return .error(
                400, code: "malformed", message: "ticket_id: expected the channel of the ticket, such as sendbird_desk_\(ticketID.text).")
        }
        let receipt = ReadReceipt(
            person, conversation: ticketID, notifiers: subscriptions.pushNotifiers(person.appID), receivedAt: context.now)
        var random = SystemRandomNumberGenerator()
        let id = UUIDv7(milliseconds: context.now, using: &random).event
        let report = Report(
            receipt, isChannel: isChannel, to: subscriptions.seen(person.appID), id: id,
            lifetimeMilliseconds: subscriptions.registry.lifetimeMilliseconds)
        let reference = context.userReference(person.appID, person.userID) ?? ""
        return AdminAnswer(
            .superseded(try Self.superseded(by: report, context.store)),
            about: [AuditField(name: "app", text: person.appID), AuditField(name: "user_ref", text: reference)])
    }

    /// - Returns: the number of ended pushes; 0 for a forgotten person.
    private static func superseded(by report: Report, _ store: any Store) throws(StoreError) -> Int {
        let outcome = Monitor<Result<ReportOutcome, StoreError>?>(nil)
        store.accept(report, isAwaited: { true }) { result in outcome.update { $0 = result } }
        guard let result = outcome.wait(timeoutMilliseconds: timeoutMilliseconds, { $0 }) else {
            throw StoreError(.unavailable, "the store did not take the report in time", remedy: "try again")
        }
        switch try result.get() {
        case .accepted(_, _, _, let superseded): return superseded
        case .duplicate, .ignored: return 0
        case .undecided: throw StoreError(.unavailable, "it is not known whether the user was forgotten", remedy: "try again")
        }
    }
}

/// The mapping to the request of the admin listener, in both directions.
extension SeenAction {
    private static let path: StaticString = "/v1/users/seen"
    private static let parameters = [
        AdminRoute.Parameter("app_id", place: .body, kind: PersonFields.appGrammar, isRequired: true, text: "The app."),
        AdminRoute.Parameter("user_id", place: .body, kind: PersonFields.userGrammar, isRequired: true, text: "The person."),
        AdminRoute.Parameter(
            "ticket_id", place: .body, kind: .identity,
            text: "The ticket that was read; for Sendbird Desk, its channel. If omitted, all tickets."),
    ]

    static let route = AdminRoute(
        .post, path: path, role: .mint,
        summary: "Records that a person has read everything until now: pending pushes are not sent, and the app's notifiers get an event.",
        parameters: parameters,
        answer: AdminRoute.Answer(
            ["superseded"], text: "How many pushes are not sent. One that is under way may still arrive."),
        handling: .fromStore { request throws(AdminProblem) in
            .some(
                try request.withBody { body throws(AdminProblem) in
                    let fields = try AdminFields(body, parameters)
                    return try SeenAction(
                        appID: fields.text("app_id"), userID: fields.text("user_id"), ticketID: fields.identity("ticket_id"))
                })
        })

    package var request: AdminRequest {
        var object: JSONObject = ["app_id": .string(person.appID), "user_id": .string(person.userID)]
        if let ticketID { object.append(ticketID.json, forKey: "ticket_id") }
        return AdminRequest(.post, "\(Self.path)", body: JSONValue.object(object).serialized())
    }
}
