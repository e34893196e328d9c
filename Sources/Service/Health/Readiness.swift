internal import AdminAPI
internal import Core
internal import Dispatch
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Synchronization
internal import Threading

/// Whether the service is ready, and the details for operators.
final class Readiness: Sendable {
    private let stopping = Atomic<Bool>(false)
    private let store: any Store
    private let dispatcherInbox: Monitor<DispatcherInbox>
    private let record: ConfigurationRecord
    private let revocationPoller: RevocationPoller

    init(store: any Store, dispatcherInbox: Monitor<DispatcherInbox>, record: ConfigurationRecord, revocations: RevocationPoller) {
        revocationPoller = revocations
        self.store = store
        self.dispatcherInbox = dispatcherInbox
        self.record = record
    }

    /// Empty when everything is ready.
    var reasons: [String] {
        (stopping.load(ordering: .relaxed) ? ["stopping"] : [])
            + (store.refusal.map { ["store: \($0.kind.rawValue), \($0.description)"] }
                ?? (revocations.isKnown ? [] : ["revocations: not loaded"]))
    }

    /// nil while the store accepts calls.
    var storeRefusal: StoreError? { store.refusal }

    /// The source of the revocations in force; without them no user is authorized.
    var revocations: RevocationStatus { revocationPoller.status }

    /// The paused notifiers, sorted by name. They do not affect readiness.
    private var paused: [(name: String, why: PausedNotifier)] {
        dispatcherInbox.withLock { $0.paused }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    func stop() {
        stopping.store(true, ordering: .relaxed)
    }

    /// The answer of `GET /v1/status` without the part about keys.
    func json(in language: Language) -> JSONObject {
        let reasons = reasons
        var paused = JSONObject()
        for (name, why) in self.paused { paused.append(["reason": .string(why.reason), "remedy": .string(why.remedy)], forKey: name) }
        return [
            "status": .string((reasons.isEmpty ? ServiceReadiness.ready : .notReady).rawValue), "version": .string(Version.current),
            "reasons": .array(reasons.map { .string($0) }), "revocations": revocations.json, "paused": .object(paused),
            "configuration": record.json(in: language),
        ]
    }
}

/// `GET /livez` and `GET /readyz`, open to all callers: the responses contain neither names nor reasons.
struct HealthRoutes: Sendable {
    static let alive = "alive"

    let readiness: Readiness
    private let living = Response(status: 200, json: ["status": .string(alive)])
    private let ready = Response(status: 200, json: ["status": .string(ServiceReadiness.ready.rawValue)])
    private let authorizing = Self.refusal(authorization: .ready)
    private let notReady = Self.refusal(authorization: .notReady)

    init(readiness: Readiness) {
        self.readiness = readiness
    }

    private static func refusal(authorization: ServiceReadiness) -> Response {
        Response(
            status: 503,
            json: ["status": .string(ServiceReadiness.notReady.rawValue), "authorization": .string(authorization.rawValue)],
            headers: [("Retry-After", "1")])
    }

    private var answer: Response {
        if readiness.reasons.isEmpty { return ready }
        return readiness.revocations.isKnown ? authorizing : notReady
    }

    var routes: [Route] {
        [
            Route("/livez", described: [.get: Self.liveness], [(.get, { _, responder in responder.respond(living) })]),
            Route(
                "/readyz", described: [.get: Self.readiness],
                [(.get, { _, responder in responder.respond(answer) })]),
        ]
    }

    private static let liveness = RouteDescription(
        "Whether the process responds.", answers: [RouteDescription.Answer(200, text: "It responds.", schema: Schema.status(alive))])
    private static let notReady = Schema.object([
        ("status", Schema.choice([ServiceReadiness.notReady.rawValue])), ("authorization", Schema.choice(of: ServiceReadiness.self)),
    ])
    private static let readiness = RouteDescription(
        "Whether the service can do its work.",
        answers: [
            RouteDescription.Answer(200, text: "It can.", schema: Schema.status(ServiceReadiness.ready.rawValue)),
            RouteDescription.Answer(
                503,
                text:
                    "The service is not ready, or there are too many connections. `authorization` shows whether chats are authorized anyway; it does not say "
                    + "why.", schema: ["anyOf": [Self.notReady, ["$ref": "#/components/schemas/Error"]]], headers: ["Retry-After"]),
        ])
}
