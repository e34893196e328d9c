internal import Core
internal import HTTPServer
internal import Observability
internal import Threading

/// Who may do what on the admin listener: asks for the token, and leaves a line in the log of each change and of each wrong token.
struct AdminGate: Sendable {
    let state: Live<OperatorState>
    let logger: Logger
    let denials: DenialLog

    /// Nil when the request shows the token, otherwise the answer to give.
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

    /// Notes what came of a change.
    /// - Parameter fields: what it was about, and how much was changed.
    func audit(_ action: String, outcome: String, _ fields: [(key: String, value: LogValue)], by caller: AdminCaller) {
        var line: LogFields = ["action": .string(action), "outcome": .string(outcome)]
        for (key, value) in fields { line.append(key, value) }
        line.append("peer", .string(caller.peer))
        line.append("request_id", .string(caller.requestID))
        logger.log(.info, "audit", line)
    }
}

/// Where a request of an operator came from.
struct AdminCaller: Sendable {
    /// The address of the other side; `unix` for a Unix socket.
    let peer: String
    /// What names the request in the log.
    let requestID: String

    init(_ request: borrowing Request) {
        peer = request.peer()
        requestID = request.requestID
    }
}
