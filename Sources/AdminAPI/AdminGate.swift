internal import Bytes
internal import Configuration
internal import Crypto
internal import HTTPServer
internal import Observability
internal import Threading

/// Access control of the admin listener: requires a token with a sufficient role, and writes an audit line for each change and each
/// insufficient token.
struct AdminGate: Sendable {
    enum Admission {
        case admitted(AdminCaller)
        case refused(Response)
    }

    private static let wrongToken = Response.error(
        401, code: "unauthorized", message: "Send the admin token: Authorization: Bearer TOKEN.", headers: [("WWW-Authenticate", "Bearer")])
    private static let noToken = Response.error(
        401, code: "unauthorized", message: "No admin token is configured; set admin.token.", headers: [("WWW-Authenticate", "Bearer")])

    private static let foreignOrigin = Response.error(
        403, code: "foreign_origin", message: "A session may make changes only from the page of this listener.")

    let state: SnapshotReference<OperatorState>
    let logger: Logger
    let denials: DenialLog
    let sessions: AdminSessionStore

    /// Admits or rejects a request to a route that needs `role`: by its bearer token, otherwise by its session.
    func admission(of request: borrowing Request, _ role: AdminRoute.Role) -> Admission {
        let state = state.current
        guard let needed = role.token(metricsNeedToken: state.metricsNeedToken) else { return .admitted(AdminCaller(request)) }
        if let token = BearerToken.sender(of: request, among: state.tokens) {
            return admission(of: AdminCaller(request, token), token, needed)
        }
        let session: AdminToken?
        do throws(SessionProblem) {
            session = try token(ofSessionIn: request, state)
        } catch {
            return .refused(refuse(request, error))
        }
        guard let token = session else {
            deny(AdminCaller(request), outcome: "unauthorized", fields: [])
            return .refused(state.tokens.isEmpty ? Self.noToken : Self.wrongToken)
        }
        let caller = AdminCaller(request, token)
        if let refusal = foreignOrigin(request, caller: caller, state: state) { return .refused(refusal) }
        // Only backends may mint, so a session is rejected even if its token has every role.
        return needed == .mint ? .refused(refuse(caller, token: token, needed: needed)) : admission(of: caller, token, needed)
    }

    private func admission(of caller: AdminCaller, _ token: AdminToken, _ needed: AdminToken.Role) -> Admission {
        token.has(needed) ? .admitted(caller) : .refused(refuse(caller, token: token, needed: needed))
    }

    private func refuse(_ caller: AdminCaller, token: AdminToken, needed: AdminToken.Role) -> Response {
        deny(caller, outcome: "forbidden", fields: [("needed", .string(needed.rawValue))])
        return Self.forbidden(token.role, needed: needed)
    }

    /// Returns the token of the request's session; nil when the request has no session, or there is no page.
    func token(ofSessionIn request: borrowing Request, _ state: OperatorState) throws(SessionProblem) -> AdminToken? {
        guard state.page.refusal == nil else { return nil }
        let credentials = try state.cookie.credentials(of: request)
        if credentials.isEmpty { return nil }
        var isUse = true
        request.withHeader("Deskgate-Background") { isUse = $0 == nil }
        for credential in credentials {
            if let token = sessions.token(of: credential, among: state.tokens, isUse: isUse) { return token }
        }
        throw .ended
    }

    /// The answer to a request whose session is rejected.
    func refuse(_ request: borrowing Request, _ problem: SessionProblem) -> Response {
        deny(AdminCaller(request), outcome: problem.rawValue, fields: [])
        return problem.answer
    }

    /// The answer to a change that does not come from the page itself; nil for every other request.
    func foreignOrigin(_ request: borrowing Request, caller: AdminCaller, state: OperatorState) -> Response? {
        guard request.method != .get, request.method != .head, !OriginRule.isOwn(request, isSecure: state.isSecure) else { return nil }
        deny(caller, outcome: "foreign_origin", fields: [])
        return Self.foreignOrigin
    }

    /// 403 for a token without the role, with the scope that it lacks (RFC 6750 section 3.1).
    private static func forbidden(_ role: AdminToken.Role, needed: AdminToken.Role) -> Response {
        .error(
            403, code: "forbidden",
            message: "This request needs a token of the role \(needed.rawValue); the one sent has the role \(role.rawValue).",
            headers: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"\(needed.rawValue)\"")])
    }

    /// Writes the audit line of an insufficient token, unless there were many in this minute.
    func deny(_ caller: AdminCaller, outcome: String, fields: [(key: String, value: LogValue)]) {
        denials.log(
            .warning, message: "audit", reason: outcome, fields: Self.line("authenticate", outcome: outcome, fields: fields, caller: caller)
        )
    }

    /// Writes the audit line of a change.
    /// - Parameter fields: the subject and the extent of the change.
    func audit(_ action: String, outcome: String, _ fields: [(key: String, value: LogValue)], by caller: AdminCaller) {
        logger.log(.info, message: "audit", fields: Self.line(action, outcome: outcome, fields: fields, caller: caller))
    }

    private static func line(
        _ action: String, outcome: String, fields: [(key: String, value: LogValue)], caller: AdminCaller
    ) -> LogFields {
        var line: LogFields = ["action": .string(action), "outcome": .string(outcome)]
        for (key, value) in fields { line.append(key, value) }
        if let token = caller.token {
            line.append("role", .string(token.role.rawValue))
            line.append("token", .string(token.name))
        }
        if let author = caller.statedAuthor { line.append("author", .string(author)) }
        line.append("peer", .string(caller.peer))
        line.append("request_id", .string(caller.requestID))
        return line
    }
}

/// The bearer token of a request (RFC 6750 section 2.1).
enum BearerToken {
    /// Returns the configured token that a request contains; nil when it contains none of them.
    static func sender(of request: borrowing Request, among tokens: [AdminToken]) -> AdminToken? {
        var sender: AdminToken?
        request.withBearerToken { token in
            if let token { sender = owner(of: token, among: tokens) }
        }
        return sender
    }

    /// Returns the configured token with this text; nil when there is none.
    ///
    /// Compares with every token, each in constant time, so that the time does not reveal which one is similar.
    static func owner(of sent: Span<UInt8>, among tokens: [AdminToken]) -> AdminToken? {
        var owner: AdminToken?
        for token in tokens {
            let isEqual = token.secret.withSpan { constantTimeEquals($0, sent) }
            if isEqual { owner = token }
        }
        return owner
    }
}

/// Checks the Host header while only this machine reaches the admin listener: addresses and `localhost` are accepted.
///
/// This prevents DNS rebinding: a foreign name that resolves to 127.0.0.1 can make a browser on this machine send requests here. It sends
/// that name as Host, and its page could read the answer.
enum HostRule {
    private static let misdirected = Response.error(
        421, code: "misdirected", message: "Ask this listener by its IP address or as localhost; other names may lead a browser here.")

    /// Returns the route with a check that rejects other Host names.
    static func guarding(_ route: Route) -> Route {
        Route(
            route.path, bodyLimit: route.bodyLimit, described: route.descriptions,
            route.handlers.map { method, handler in
                (
                    method,
                    { request, responder in
                        isAddressed(request) ? handler(request, responder) : responder.respond(misdirected)
                    }
                )
            })
    }

    private static func isAddressed(_ request: borrowing Request) -> Bool {
        var isAddressed = true
        request.withHeader("Host") { value in
            // Every browser sends this header.
            if let value { isAddressed = isLocalName(value) }
        }
        return isAddressed
    }

    /// Whether a Host header is `localhost` or an IP address, with or without a port.
    static func isLocalName(_ host: Span<UInt8>) -> Bool {
        let name = host.extracting(..<endOfName(host))
        if name.equalsIgnoringCase("localhost") { return true }
        if name.isEmpty { return false }
        let isBracketed = name[0] == UInt8(ascii: "[")
        for index in name.indices where !isAddressByte(name[index], isBracketed: isBracketed) { return false }
        return true
    }

    /// The port in a Host header: its digits; empty for the scheme's own port.
    static func port(of host: Span<UInt8>) -> String {
        let name = endOfName(host)
        return name == host.count ? "" : String(decoding: (name + 1..<host.count).map { host[$0] }, as: UTF8.self)
    }

    /// The index where the port begins, or the end.
    private static func endOfName(_ host: Span<UInt8>) -> Int {
        var end = host.count
        while end > 0, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(host[end - 1]) { end -= 1 }
        return end > 0 && host[end - 1] == UInt8(ascii: ":") ? end - 1 : host.count
    }

    /// Whether a byte may be part of an address. No host name consists of digits and dots alone (RFC 1123 section 2.1).
    private static func isAddressByte(_ byte: UInt8, isBracketed: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): true
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            isBracketed
        default: false
        }
    }
}
