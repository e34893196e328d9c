package import Core
internal import Crypto
package import HTTPServer
package import JSON
package import Observability
internal import Threading
package import Time

/// The operators' listener: metrics, and keys for backends that do not hold the secret themselves.
package struct AdminRoutes: Sendable {
    private static let keyBodyLimit = 16 * 1024

    let gate: AdminGate
    let registry: MetricsRegistry
    let clocks: Clocks

    /// Makes the routes.
    package init(gate: AdminGate, registry: MetricsRegistry, clocks: Clocks) {
        self.gate = gate
        self.registry = registry
        self.clocks = clocks
    }

    package var routes: [Route] {
        [
            Route("/metrics", [(.get, { request, responder in responder.respond(metrics(request)) })]),
            Route("/v1/keys", bodyLimit: Self.keyBodyLimit, [(.post, { request, responder in responder.respond(mint(request)) })]),
        ]
    }

    private func metrics(_ request: borrowing Request) -> Response {
        if gate.state.current.metricsNeedToken, let refusal = gate.refusal(of: request) { return refusal }
        return Response(status: 200, headers: [("Content-Type", MetricsRegistry.contentType)], body: registry.render())
    }

    private func mint(_ request: borrowing Request) -> Response {
        if let refusal = gate.refusal(of: request) { return refusal }
        let state = gate.state.current
        do throws(KeyRequest.Mistake) {
            let wanted = try request.withBody { body throws(KeyRequest.Mistake) in try KeyRequest(body) }
            do throws(KeyMinting.Refusal) {
                let minted = try KeyMinting(state.authorizer, defaultLifeSeconds: state.defaultLifeSeconds).mint(
                    appID: wanted.appID, userID: wanted.userID, lifeSeconds: wanted.lifeSeconds, now: clocks.unixSeconds())
                audit(minted, wanted, state.authorizer, request)
                return Response(status: 201, json: minted.json, headers: [("Cache-Control", "no-store")])
            } catch {
                return response(to: error, request)
            }
        } catch {
            return .error(400, "malformed", error.message)
        }
    }

    private func audit(_ minted: KeyMinting.Minted, _ wanted: KeyRequest, _ authorizer: Authorizer, _ request: borrowing Request) {
        let reference = authorizer.userReference(appID: wanted.appID.utf8.span, userID: wanted.userID.utf8.span)
        gate.audit(
            "keys.mint", outcome: "done",
            [
                ("app", .string(wanted.appID)), ("user_ref", .string(reference ?? "")), ("key_id", .integer(Int(minted.keyID))),
                ("expires_at", .integer(Int(minted.expiresAt))),
            ], by: AdminCaller(request))
    }

    private func response(to refusal: KeyMinting.Refusal, _ request: borrowing Request) -> Response {
        switch refusal {
        case .malformed, .lifeTooLong, .endTooFar: return .error(400, "malformed", refusal.description)
        case .unknownApp, .unknownKey: return .error(400, "unknown_app", refusal.description)
        case .failed(let error):
            gate.logger.log(
                .error, "mint failed", ["reason": .string(error.description), "request_id": .string(request.requestID)])
            return .error(503, "mint_failed", "The key could not be made; try again.", headers: [("Retry-After", "1")])
        }
    }
}

extension KeyMinting.Minted {
    /// The key as the admin listener and `--json` show it.
    package var json: JSONValue {
        [
            "security_key": .string(securityKey), "key_id": .integer(Int64(keyID)), "issued_at": .integer(Int64(issuedAt)),
            "expires_at": .integer(Int64(expiresAt)),
        ]
    }
}
