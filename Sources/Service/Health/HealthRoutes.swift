internal import Core
internal import HTTPServer
internal import JSON
internal import Synchronization

/// Whether the service can decide, for whoever sends it traffic.
final class Readiness: Sendable {
    private let stopping = Atomic<Bool>(false)
    private let store: any Store

    init(store: any Store) {
        self.store = store
    }

    /// What is not ready; empty when all is.
    var reasons: [String] {
        (stopping.load(ordering: .relaxed) ? ["stopping"] : []) + (store.refusal.map { ["store: \($0)"] } ?? [])
    }

    func stop() {
        stopping.store(true, ordering: .relaxed)
    }
}

/// `GET /livez` and `GET /readyz`.
struct HealthRoutes: Sendable {
    let readiness: Readiness
    private let alive = Response(status: 200, json: ["status": "alive"])
    private let ready = Response(status: 200, json: ["status": "ready"])

    init(readiness: Readiness) {
        self.readiness = readiness
    }

    var routes: [Route] {
        [
            Route("/livez", [(.get, { _, responder in responder.respond(alive) })]),
            Route("/readyz", [(.get, { _, responder in responder.respond(readyResponse) })]),
        ]
    }

    private var readyResponse: Response {
        let reasons = readiness.reasons
        guard !reasons.isEmpty else { return ready }
        return Response(
            status: 503, json: ["status": "not_ready", "reasons": .array(reasons.map { .string($0) })], headers: [("Retry-After", "1")])
    }
}
