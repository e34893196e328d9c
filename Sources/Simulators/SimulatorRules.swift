internal import HTTP2Server
internal import JSON

/// The rules of one provider. The threads of its server use them concurrently.
protocol SimulatorRules: Sendable {
    func subject(of request: HTTP2Request) -> Fault.Subject
    func answer(_ request: HTTP2Request) -> SimulatorAnswer
    /// Returns the response for a fault, in the provider's own format.
    func refusal(_ answer: Fault.Answer, _ request: HTTP2Request) -> SimulatorAnswer
}

extension HTTP2Request {
    /// The token of `Authorization: Bearer …`; nil when there is none.
    var bearer: String? {
        guard let value = header("authorization"), let space = value.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        guard value[..<space].lowercased() == "bearer" else { return nil }
        let token = value[value.utf8.index(after: space)...]
        return token.isEmpty ? nil : String(token)
    }

    /// The headers without credentials.
    var recordableHeaders: [(name: String, value: String)] {
        headers.filter { $0.name != "authorization" }
    }
}

struct SimulatorAnswer {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var push: SimulatedPush?
    /// The new stream limit of the connection; nil changes nothing.
    var streamLimit: Int?

    init(status: Int, headers: [(name: String, value: String)] = [], json: JSONValue, push: SimulatedPush? = nil) {
        self.init(
            status: status, headers: headers + [("content-type", "application/json; charset=UTF-8")], body: json.serialized(), push: push)
    }

    init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], push: SimulatedPush? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.push = push
    }

    var action: HTTP2Action {
        let answer = HTTP2Action.respond(HTTP2Response(status: status, headers: headers, body: body))
        guard let streamLimit else { return answer }
        return .all([.limitStreams(streamLimit), answer])
    }
}
