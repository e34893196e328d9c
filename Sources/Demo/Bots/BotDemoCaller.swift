internal import Bytes
internal import Configuration
internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Simulators

/// The requests of the customer's app, of the company's backend and of an operator. They block.
struct BotDemoCaller: Sendable {
    let app: String
    private let requests: DemoRequests
    private let url: String
    private let adminURL: String
    private let adminToken: String

    /// - Throws: when the configuration is not that of a demonstration.
    init(_ client: Client, _ configuration: Configuration) throws(DemoFailure) {
        guard let app = configuration.apps.first?.id, case .tcp(_, let port) = configuration.listen.address,
            case .tcp(_, let adminPort) = configuration.admin.listener.address, let token = configuration.admin.tokens.first
        else { throw DemoFailure("a demonstration needs an app, two TCP ports and an admin token") }
        self.app = app
        requests = DemoRequests(client: client)
        url = "http://127.0.0.1:\(port)"
        adminURL = "http://127.0.0.1:\(adminPort)"
        adminToken = token.secret.withSpan { bytes in String(repairing: bytes) }
    }

    /// The company's backend gets a key for a customer who has signed in.
    func mint(_ user: String) throws(DemoFailure) -> String {
        let answer = try requests.send(
            .post, url: "\(adminURL)/v1/keys", shown: "/v1/keys", body: ["app_id": .string(app), "user_id": .string(user)],
            bearer: adminToken)
        guard answer.status == 201, let key = answer.body["security_key"]?.text else {
            throw DemoFailure("no key was minted: the response has the status \(answer.status)")
        }
        return key
    }

    /// Sends a request of the customer's app with its key: to start the bot, or to confirm.
    /// - Parameter path: the path below the bot's.
    func ask(_ path: String, user: String, key: String, more: [(String, JSONValue)] = []) throws(DemoFailure) -> DemoRequests.Answer {
        let body: [(String, JSONValue)] = [("app_id", .string(app)), ("user_id", .string(user)), ("security_key", .string(key))]
        return try post(path, .object(JSONObject(body + more)))
    }

    /// The company's own model calls a function.
    func call(_ ticket: String, function: String, arguments: String) throws(DemoFailure) -> DemoRequests.Answer {
        try post("call", ["ticket": .string(ticket), "name": .string(function), "arguments": .string(arguments)])
    }

    /// The company extracts the quick replies from its own model's text.
    func reply(_ ticket: String, _ text: String) throws(DemoFailure) -> DemoRequests.Answer {
        try post("reply", ["ticket": .string(ticket), "text": .string(text)])
    }

    /// An operator lists the calls of a customer, newest first.
    func calls(of user: String) throws(DemoFailure) -> [JSONValue] {
        let path = "/v1/bots/calls?app_id=\(app)&user_id=\(user)&limit=1000"
        let answer = try requests.send(.get, url: adminURL + path, shown: "/v1/bots/calls", body: nil, bearer: adminToken)
        try requests.expect(200...200, answer: answer, what: "GET /v1/bots/calls")
        return answer.body["calls"]?.elements ?? []
    }

    private func post(_ path: String, _ body: JSONValue) throws(DemoFailure) -> DemoRequests.Answer {
        let path = "/bots/\(BotDemoFiles.bot)/\(path)"
        return try requests.send(.post, url: url + path, shown: path, body: body)
    }
}

extension FunctionResponse {
    /// Parses the vendor-neutral form of a response; nil when it is malformed.
    init?(_ answer: DemoRequests.Answer) {
        guard answer.status == 200, let status = answer.body["status_code"]?.integer, let endpoint = answer.body["endpoint"]?.text,
            let response = answer.body["response"]
        else { return nil }
        self.init(statusCode: Int(clamping: status), endpoint: endpoint, response: response)
    }
}
