internal import Core
internal import HTTPServer
internal import JSON
internal import Synchronization
internal import Threading

/// Whether the service can decide, for whoever sends it traffic.
final class Readiness: Sendable {
    private let stopping = Atomic<Bool>(false)
    private let store: any Store
    private let dispatcherInbox: Monitor<DispatcherInbox>

    init(store: any Store, dispatcherInbox: Monitor<DispatcherInbox>) {
        self.store = store
        self.dispatcherInbox = dispatcherInbox
    }

    /// What is not ready; empty when all is.
    var reasons: [String] {
        (stopping.load(ordering: .relaxed) ? ["stopping"] : []) + (store.refusal.map { ["store: \($0.kind.rawValue)"] } ?? [])
    }

    /// The notifiers that are switched off, in the order of their names: the service can do its own job all the same.
    var paused: [(name: String, why: PausedNotifier)] {
        dispatcherInbox.withLock { $0.paused }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
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
        let (reasons, paused) = (readiness.reasons, readiness.paused)
        if reasons.isEmpty, paused.isEmpty { return ready }
        var body: JSONObject = ["status": .string(reasons.isEmpty ? "ready" : "not_ready")]
        if !reasons.isEmpty { body.append(.array(reasons.map { .string($0) }), forKey: "reasons") }
        if !paused.isEmpty {
            var names = JSONObject()
            for (name, why) in paused { names.append(["reason": .string(why.reason), "remedy": .string(why.remedy)], forKey: name) }
            body.append(.object(names), forKey: "paused")
        }
        return reasons.isEmpty
            ? Response(status: 200, json: .object(body)) : Response(status: 503, json: .object(body), headers: [("Retry-After", "1")])
    }
}
