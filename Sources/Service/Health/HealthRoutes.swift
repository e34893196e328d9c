internal import HTTPServer
internal import JSON

/// `GET /livez` and `GET /readyz`, which anybody may ask: the answers contain neither names nor reasons.
struct HealthRoutes: Sendable {
    let readiness: Readiness
    private let alive = Response(status: 200, json: ["status": "alive"])
    private let ready = Response(status: 200, json: ["status": "ready"])
    private let notReady = Response(status: 503, json: ["status": "not_ready"], headers: [("Retry-After", "1")])

    init(readiness: Readiness) {
        self.readiness = readiness
    }

    var routes: [Route] {
        [
            Route("/livez", [(.get, { _, responder in responder.respond(alive) })]),
            Route("/readyz", [(.get, { _, responder in responder.respond(readiness.reasons.isEmpty ? ready : notReady) })]),
        ]
    }
}
