internal import Bytes
internal import Configuration
internal import Crypto
internal import HTTPServer
internal import JSON
internal import Observability
internal import OperatorsPage
internal import Threading

/// The routes for browsers: the files of the operators' page, and the session that authenticates its requests to `AdminRoute.all`.
struct PageRoutes: Sendable {
    private let files: PageFiles
    private let session: SessionRoute
    private let gate: AdminGate

    init(_ gate: AdminGate) {
        files = PageFiles()
        session = SessionRoute(gate)
        self.gate = gate
    }

    var routes: [Route] {
        [
            Route("/", described: Self.index, [(.get, { request, responder in serve(files.answer("index.html", request), responder) })]),
            Route(
                "/page/:file", described: Self.file,
                [(.get, { request, responder in serve(files.answer(Self.name(of: request), request), responder) })]),
            Route(
                "/session", bodyLimit: AdminRoute.bodyLimit, described: Self.sessions,
                [
                    (.get, { request, responder in serve(session.show(request), responder) }),
                    (.post, { request, responder in serve(isOpen ? session.open(request) : nil, responder) }),
                    (.delete, { request, responder in serve(session.close(request), responder) }),
                ]),
        ]
    }

    private var isOpen: Bool { gate.state.current.page.refusal == nil }

    private func serve(_ answer: Response?, _ responder: consuming Responder) -> Answered {
        responder.respond(gate.state.current.page.refusal ?? answer ?? StandardResponse.notFound)
    }

    private static func name(of request: borrowing Request) -> String {
        request.withPathParameter { String(repairing: $0) }
    }
}

/// The page's files as answers. Browsers revalidate a file on each use, so that a new version of the service also updates the page.
private struct PageFiles: Sendable {
    private struct File: Sendable {
        let tag: [UInt8]
        let whole, unchanged: Response
    }

    /// Allows no content from other origins, no inline code, and no conversion of text to markup or script.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
        + "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

    private let files: [String: File]

    init() {
        files = Dictionary(uniqueKeysWithValues: PageFile.all.map { ($0.name, Self.make($0)) })
    }

    func answer(_ name: String, _ request: borrowing Request) -> Response {
        guard let file = files[name] else { return StandardResponse.notFound }
        var isKnown = false
        request.withHeader("If-None-Match") { value in
            if let value { isKnown = constantTimeEquals(value, file.tag.span) }
        }
        return isKnown ? file.unchanged : file.whole
    }

    private static func make(_ file: PageFile) -> File {
        // The service does not start without OpenSSL, so different contents never have the same tag.
        let digest = (try? sha256(file.bytes.span)) ?? []
        let tag = "\"\(Base64URL.encode(digest.span))\""
        let headers = [
            ("Content-Type", file.mediaType), ("ETag", tag), ("Cache-Control", "no-cache"), ("Content-Security-Policy", policy),
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ]
        return File(
            tag: Array(tag.utf8), whole: Response(status: 200, headers: headers, body: file.bytes),
            unchanged: Response(status: 304, headers: Array(headers.dropFirst())))
    }
}

/// The session of a browser: `GET`, `POST` and `DELETE /session`.
private struct SessionRoute: Sendable {
    private static let token = AdminRoute.Parameter(
        "token", place: .body, isRequired: true, text: "An admin token of the role read or operate.")
    private static let wrongToken = Response.error(401, code: "unauthorized", message: "The text is not an admin token.")
    private static let mintsOnly = Response.error(
        403, code: "forbidden", message: "This token mints keys; sign in with one of the role read or operate.")
    private static let noRandom = Response.error(
        503, code: "undecided", message: "The session could not be created; retry.", headers: [("Retry-After", "1")])

    private let gate: AdminGate

    init(_ gate: AdminGate) {
        self.gate = gate
    }

    /// Returns whether the browser has a session. The status is always 200, because browsers log other statuses as errors.
    func show(_ request: borrowing Request) -> Response {
        Self.answer(try? gate.token(ofSessionIn: request, gate.state.current))
    }

    func open(_ request: borrowing Request) -> Response {
        let state = gate.state.current
        if let refusal = gate.foreignOrigin(request, caller: AdminCaller(request), state: state) { return refusal }
        let sent: String?
        do throws(AdminProblem) {
            sent = try request.withBody { body throws(AdminProblem) in try AdminFields(body, [Self.token]).text("token") }
        } catch {
            return .error(400, code: "malformed", message: error.message)
        }
        guard let sent, let token = BearerToken.owner(of: sent.utf8.span, among: state.tokens) else {
            gate.deny(AdminCaller(request), outcome: "unauthorized", fields: [])
            return Self.wrongToken
        }
        let caller = AdminCaller(request, token)
        guard token.has(.read) else {
            gate.deny(caller, outcome: "forbidden", fields: [("needed", .string(AdminToken.Role.read.rawValue))])
            return Self.mintsOnly
        }
        guard let credential = try? gate.sessions.open(token) else { return Self.noRandom }
        end(request, state)
        gate.audit("session.open", outcome: "done", [], by: caller)
        return Self.answer(token, secret: credential.secret, state.cookie.setting(credential.id, for: request))
    }

    func close(_ request: borrowing Request) -> Response {
        let state = gate.state.current
        let token: AdminToken?
        do throws(SessionProblem) {
            token = try gate.token(ofSessionIn: request, state)
        } catch {
            return gate.refuse(request, error)
        }
        let caller = AdminCaller(request, token)
        if let refusal = gate.foreignOrigin(request, caller: caller, state: state) { return refusal }
        end(request, state)
        if token != nil { gate.audit("session.close", outcome: "done", [], by: caller) }
        return Self.answer(nil, state.cookie.deleting(for: request))
    }

    /// Ends the session of a request that proves its secret. The cookie alone is not sufficient.
    private func end(_ request: borrowing Request, _ state: OperatorState) {
        for credential in (try? state.cookie.credentials(of: request)) ?? [] { gate.sessions.close(credential) }
    }

    private static func answer(_ token: AdminToken?, secret: String? = nil, _ cookie: (name: String, value: String)? = nil) -> Response {
        var members: JSONObject = [
            "role": token.map { .string($0.role.rawValue) } ?? .null, "token": token.map { .string($0.name) } ?? .null,
        ]
        if let secret { members.append(.string(secret), forKey: "secret") }
        return Response(
            status: 200, json: .object(members), headers: [("Cache-Control", "no-store")] + (cookie.map { [$0] } ?? []))
    }
}
