internal import Bytes
internal import Core
internal import Crypto
internal import HTTPServer
internal import Observability
internal import Threading

/// Access control of the admin listener: requires the token, and writes an audit line for each change and each wrong token.
struct AdminGate: Sendable {
    let state: Live<OperatorState>
    let logger: Logger
    let denials: DenialLog

    /// The answer to a request without the right token; nil when the token is right.
    func refusal(of request: borrowing Request) -> Response? {
        guard let refusal = BearerToken(state.current.token).refusal(of: request) else { return nil }
        let caller = AdminCaller(request)
        denials.log(
            .warning, "audit", reason: "unauthorized",
            [
                "action": .string("authenticate"), "outcome": .string("unauthorized"), "peer": .string(caller.peer),
                "request_id": .string(caller.requestID),
            ])
        return refusal
    }

    /// Writes the audit line of a change.
    /// - Parameter fields: what was changed, and how much of it.
    func audit(_ action: String, outcome: String, _ fields: [(key: String, value: LogValue)], by caller: AdminCaller) {
        var line: LogFields = ["action": .string(action), "outcome": .string(outcome)]
        for (key, value) in fields { line.append(key, value) }
        line.append("peer", .string(caller.peer))
        line.append("request_id", .string(caller.requestID))
        logger.log(.info, "audit", line)
    }
}

/// The origin of an operator's request.
struct AdminCaller: Sendable {
    /// The peer's address; `unix` for a Unix socket.
    let peer: String
    /// The request's id in the log.
    let requestID: String

    init(_ request: borrowing Request) {
        peer = request.peer()
        requestID = request.requestID
    }
}

/// The bearer token of the admin listener (RFC 6750 section 2.1).
struct BearerToken: Sendable {
    private static let schemeCount = 7

    private let expected: SecretBytes?
    private let refused = Response.error(
        401, "unauthorized", "Send the admin token: Authorization: Bearer TOKEN.", headers: [("WWW-Authenticate", "Bearer")])
    private let unconfigured = Response.error(
        401, "unauthorized", "No admin token is configured; set admin.token.", headers: [("WWW-Authenticate", "Bearer")])

    init(_ expected: SecretBytes?) {
        self.expected = expected
    }

    /// The answer to a request without the right token; nil when the token is right.
    func refusal(of request: borrowing Request) -> Response? {
        guard let expected else { return unconfigured }
        var isGenuine = false
        request.withHeader("Authorization") { value in
            if let value, value.count > Self.schemeCount, value.extracting(..<Self.schemeCount).equalsIgnoringCase("bearer ") {
                isGenuine = expected.withSpan { constantTimeEquals($0, value.extracting(Self.schemeCount...)) }
            }
        }
        return isGenuine ? nil : refused
    }
}

/// Checks the Host header while only this machine reaches the admin listener: addresses and `localhost` are accepted.
///
/// This prevents DNS rebinding: a foreign name that resolves to 127.0.0.1 can make a browser on this machine send requests here. It sends
/// that name as Host, and its page could read the answer.
enum HostRule {
    private static let misdirected = Response.error(
        421, "misdirected", "Ask this listener by its IP address or as localhost; other names may lead a browser here.")

    /// The same route, which refuses other Host names.
    static func guarding(_ route: Route) -> Route {
        Route(
            route.path, bodyLimit: route.bodyLimit,
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
            // Every browser sends it.
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
