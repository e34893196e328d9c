internal import Configuration
package import Core
internal import Crypto
internal import HTTPServer
package import JSON
internal import Observability
internal import Threading
internal import Time

/// The body of `POST /v1/keys`.
struct KeyRequest {
    static let parameters = [
        AdminRoute.Parameter("app_id", place: .body, kind: PersonFields.appGrammar, isRequired: true, text: "The app."),
        AdminRoute.Parameter("user_id", place: .body, kind: PersonFields.userGrammar, isRequired: true, text: "The person."),
        AdminRoute.Parameter(
            "ttl_seconds", place: .body, kind: .maybeNumber(0...Int64(SecurityKey.latestTime.rawValue)),
            text: "The life of the key; 0 is for ever. It must fit into a key, and into the app's longest life."),
    ]

    let appID: String
    let userID: String
    let lifetimeSeconds: UInt64?

    /// Parses the body. Unknown fields are rejected, because a misspelt `ttl_seconds` would mint a key with too long a lifetime.
    init(_ body: Span<UInt8>) throws(AdminProblem) {
        let object = try AdminBody.object(body, contents: " with app_id and user_id")
        for member in object.members { _ = try Self.parameters.known(member.key, as: "field") }
        appID = try Self.text("app_id", in: object)
        userID = try Self.text("user_id", in: object)
        switch object["ttl_seconds"] {
        case nil, .null: lifetimeSeconds = nil
        case .integer(let seconds) where seconds >= 0: lifetimeSeconds = UInt64(seconds)
        default: throw AdminProblem("ttl_seconds", "expected a whole number of seconds, or 0 for no expiry.")
        }
    }

    private static func text(_ field: String, in object: JSONObject) throws(AdminProblem) -> String {
        guard case .string(let text) = object[field] else { throw AdminProblem(field, "expected a string.") }
        return text
    }
}

extension KeyRequest {
    /// `POST /v1/keys`
    static let route = AdminRoute(
        .post, path: "/v1/keys", role: .mint, summary: "Mints a security key, for backends that do not hold the secret themselves.",
        parameters: parameters,
        answer: AdminRoute.Answer(
            ["security_key", "key_id", "issued_at", "expires_at"],
            [
                "security_key": Schema.text, "key_id": Schema.integer(0...Int64(UInt32.max)), "issued_at": AdminSchema.count,
                "expires_at": AdminSchema.count,
            ], status: 201, text: "The key, a secret of the person.", links: .securityKey("/security_key")),
        handling: .fromMemory { request, caller, listener in listener.mint(request, caller) })
}

extension AdminListener {
    fileprivate func mint(_ request: borrowing Request, _ caller: AdminCaller) -> Response {
        let state = services.state.current
        let now = services.store.sharedTime(of: services.clocks.unixMilliseconds()).seconds
        do throws(AdminProblem) {
            let wanted = try request.withBody { body throws(AdminProblem) in try KeyRequest(body) }
            do throws(KeyMinting.Refusal) {
                let minted = try KeyMinting(state.authorizer, defaultLifetimeSeconds: state.defaultLifetimeSeconds).mint(
                    appID: wanted.appID, userID: wanted.userID, lifetimeSeconds: wanted.lifetimeSeconds, now: now)
                audit(minted, wanted: wanted, authorizer: state.authorizer, caller: caller)
                return Response(status: 201, json: minted.json, headers: [("Cache-Control", "no-store")])
            } catch {
                return answer(to: error, request)
            }
        } catch {
            return .error(400, code: "malformed", message: error.message)
        }
    }

    private func audit(_ minted: KeyMinting.Minted, wanted: KeyRequest, authorizer: Authorizer, caller: AdminCaller) {
        let reference = authorizer.userReference(appID: wanted.appID.utf8.span, userID: wanted.userID.utf8.span)
        gate.audit(
            "keys.mint", outcome: "done",
            [
                ("app", .string(wanted.appID)), ("user_ref", .string(reference ?? "")), ("key_id", .integer(Int(minted.keyID))),
                ("expires_at", .integer(Int(minted.expiresAt.rawValue))),
            ], by: caller)
    }

    private func answer(to refusal: KeyMinting.Refusal, _ request: borrowing Request) -> Response {
        switch refusal {
        case .malformed, .lifetimeTooLong, .endTooFar, .outlivesKey: return .error(400, code: "malformed", message: refusal.description)
        case .noActiveKey, .keyVerifyOnly, .keyEnded: return .error(409, code: "no_active_key", message: refusal.description)
        case .unknownApp, .unknownKey, .noKey: return .error(400, code: "unknown_app", message: refusal.description)
        case .failed(let error):
            services.logger.log(
                .error, message: "mint failed", fields: ["reason": .string(error.description), "request_id": .string(request.requestID)])
            return .error(503, code: "mint_failed", message: "The key could not be minted; try again.", headers: [("Retry-After", "1")])
        }
    }
}

extension KeyMinting.Minted {
    /// The key in the JSON of the admin listener and of `--json`.
    package var json: JSONValue {
        [
            "security_key": .string(securityKey), "key_id": .integer(Int64(keyID)), "issued_at": .integer(Int64(issuedAt.rawValue)),
            "expires_at": .integer(Int64(expiresAt.rawValue)),
        ]
    }
}
