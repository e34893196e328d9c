package import Core
internal import HTTPClient
package import HTTPServer
package import JSON

/// `GET /v1/status` on the operators' listener. It is answered at once, also while the store's disk hangs.
package struct StatusRoute: Sendable {
    let gate: AdminGate
    /// What operators are told.
    let status: @Sendable () -> JSONValue

    /// Makes the route.
    package init(gate: AdminGate, status: @escaping @Sendable () -> JSONValue) {
        self.gate = gate
        self.status = status
    }

    package var route: Route {
        Route(
            StatusAction.path,
            [
                (
                    .get,
                    { request, responder in
                        if let refusal = gate.refusal(of: request) { return responder.respond(refusal) }
                        return responder.respond(Response(status: 200, json: status(), headers: [("Cache-Control", "no-store")]))
                    }
                )
            ])
    }
}

/// An operator's question whether the service can do its work.
package struct StatusAction: AdminAction {
    static let path: StaticString = "/v1/status"

    /// Makes the question.
    package init() {}

    /// As `AdminAction` says.
    package var request: AdminRequest { AdminRequest(.get, "\(Self.path)") }

    /// It only looks.
    package var change: String? { nil }

    /// Only somebody outside the service asks the store itself, because no service runs.
    package func perform(on desk: AdminDesk) throws(StoreError) -> AdminAnswer {
        AdminAnswer(["status": "not_ready", "version": .null, "reasons": ["the service does not run"], "paused": [:]])
    }
}
