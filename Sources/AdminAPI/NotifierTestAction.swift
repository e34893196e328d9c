internal import Configuration
package import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Threading
internal import Time

/// A notifier of the configuration, as shown to operators.
struct NamedNotifier: Sendable {
    let name: String
    let type: String
    let apps: [String]
    /// Whether the notifier delivers events without a person. Push providers require a device, and a relay requires a registration.
    let takesTests: Bool

    static func all(_ configuration: Configuration) -> [NamedNotifier] {
        configuration.notifiers.map { notifier in
            let apps = configuration.apps.filter { $0.notifiers.contains(notifier.name) || $0.routes.notifiers.contains(notifier.name) }
            return NamedNotifier(
                name: notifier.name, type: notifier.type.rawValue, apps: apps.map(\.id), takesTests: [.http, .log].contains(notifier.type))
        }
    }
}

/// Stores an `operator.test` event for one notifier. The event is delivered like any other event.
package struct NotifierTestAction: AdminAction {
    private static let path: StaticString = "/v1/notifiers/test"
    private static let lifetimeMilliseconds: UInt64 = 3_600_000
    private static let timeoutMilliseconds: UInt64 = TimeLimit.milliseconds(30_000)
    private static let parameters = [
        AdminRoute.Parameter("notifier", place: .body, isRequired: true, text: "A notifier of the type http or log.")
    ]

    static let route = AdminRoute(
        .post, path: path, role: .operate, summary: "Sends an event of the type operator.test, which has no user, to a notifier.",
        parameters: parameters,
        answer: AdminRoute.Answer(
            ["delivery_id"], ["delivery_id": AdminSchema.uuid], text: "The delivery, which waits for its first attempt.",
            links: .delivery("/delivery_id")),
        handling: .fromStore { request throws(AdminProblem) in
            try request.withBody { body throws(AdminProblem) in
                guard let name = try AdminFields(body, parameters).text("notifier") else { throw AdminProblem("notifier", "missing.") }
                return NotifierTestAction(notifier: name)
            }
        })

    let notifier: String

    /// - Parameter notifier: the name of a notifier of the type `http` or `log`.
    package init(notifier: String) {
        self.notifier = notifier
    }

    package var request: AdminRequest {
        AdminRequest(.post, "\(Self.path)", body: JSONValue.object(["notifier": .string(notifier)]).serialized())
    }

    package var change: String? { "notifiers.test" }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        guard let known = context.state.notifiers.first(where: { $0.name.utf8.elementsEqual(notifier.utf8) }), known.takesTests else {
            return .error(400, code: "malformed", message: "notifier: expected the name of a configured notifier of the type http or log.")
        }
        guard let app = known.apps.first ?? context.state.names.apps.first else { return .unknown }
        var random = SystemRandomNumberGenerator()
        let id = UUIDv7(milliseconds: context.now, using: &random).event
        let test = OperatorTest(appID: app, notifier: known.name)
        let event = Event(test, id: id, now: context.now, lifetimeMilliseconds: Self.lifetimeMilliseconds)
        try accept(IncomingEvent(event, to: [Subscription(notifier: known.name)]), context)
        return AdminAnswer(
            ["delivery_id": .string(id.delivery(0).description)], change: .stored(1),
            about: [AuditField(name: "notifier", text: known.name)])
    }

    private func accept(_ incoming: IncomingEvent, _ context: AdminContext) throws(StoreError) {
        let outcome = Monitor<Result<Acceptance, StoreError>?>(nil)
        context.store.accept(incoming, telling: context.state.registryAudience, isAwaited: { true }) { result in
            outcome.update { $0 = result }
        }
        guard let result = outcome.wait(timeoutMilliseconds: Self.timeoutMilliseconds, { $0 }) else {
            throw StoreError(.unavailable, "the store did not take the event in time", remedy: "try again")
        }
        _ = try result.get()
    }
}
