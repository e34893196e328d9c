internal import Configuration
package import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

/// The readiness of the service, as `GET /v1/status` and `/readyz` report it.
package enum ServiceReadiness: String, CaseIterable {
    case ready
    case notReady = "not_ready"
}

package struct StatusAction: AdminAction {
    /// `GET /v1/status`. The answer comes from memory, so it does not depend on the store's disk.
    static let route = AdminRoute(
        .get, path: "/v1/status", role: .read,
        summary: "Whether the service can work, its problems, the state of its configuration, and the usage of keys.",
        parameters: [Language.parameter],
        answer: AdminRoute.Answer(
            ["status", "version", "reasons", "revocations", "paused", "configuration"] + KeyStatus.members + ProblemSearch.members,
            AdminSchema.status,
            text: "How the service is."),
        handling: .fromMemory { request, _, listener in
            Language.answer(request) { language in
                Response(status: 200, json: listener.services.status(language), headers: [("Cache-Control", "no-store")])
            }
        })

    package init() {}

    package var request: AdminRequest { AdminRequest(.get, "\(Self.route.path)") }

    package var change: String? { nil }

    /// Used only by commands outside of the service, when no service is running.
    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        let isShared = context.state.configuration.store.isShared
        var status: JSONObject = [
            "status": .string(ServiceReadiness.notReady.rawValue), "version": .null,
            "reasons": [isShared ? "no service runs on this host" : "the service does not run"],
            "revocations": .null,
            "paused": [:], "configuration": .null,
        ]
        let uses = try context.store.keyUses()
        let (authorizer, replicas) = (context.state.authorizer, context.store.replicas)
        KeyStatus(
            authorizer, uses: uses, replicas: replicas, revocations: try context.revocations(), isServing: false, now: context.now.seconds
        ).append(to: &status)
        let problems = [context.serviceProblem].compactMap { $0?.json(in: .english) }
        status.append(.array(problems), forKey: ProblemSearch.members[0])
        return AdminAnswer(.object(status))
    }
}
