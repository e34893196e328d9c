internal import HTTP2Server
internal import JSON

/// What a simulator answers, before any fault.
struct SimulatorAnswer {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// What was accepted.
    var push: SimulatedPush?
    /// How many streams the connection may have from now on; nil changes nothing.
    var streamLimit: Int?

    /// An answer in JSON.
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
