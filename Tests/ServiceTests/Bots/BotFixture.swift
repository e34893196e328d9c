import Core
import Crypto
import HTTPServer
import JSON
import JSONSchema
import Observability
import TestSupport
import Threading
import Time

@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Service

/// The service with the bot `orders` of the app `shop`, which has a scripted backend. Its clocks advance only when the test moves them.
final class BotFixture {
    static let secret = TestSecret.signing(5)
    static let backendSecret = TestSecret.text(41)
    /// One address may have a tenth of these.
    private static let maximumConnections = 20_000

    let directory: ConfigurationDirectory
    let log: TestLog
    private let elapsed = Monitor<UInt64>(0)
    private let drainSeconds: Int
    private let store: String
    private let bankVerify: String

    /// - Parameter bankVerify: additional members of the app `bank`.
    init(drainSeconds: Int = 20, store: String = #"{"type":"memory"}"#, bankVerify: String = "") throws {
        directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/backend-5.whsec", TestSecret.signing(5))
        log = try TestLog(in: directory.scratch, level: .debug)
        (self.drainSeconds, self.store, self.bankVerify) = (drainSeconds, store, bankVerify)
    }

    /// Advances all clocks.
    func pass(milliseconds: UInt64) {
        elapsed.update { $0 += milliseconds }
    }

    var clocks: Clocks {
        let start = SystemClock.monotonicNanoseconds()
        return Clocks(
            unixSeconds: { [elapsed] in TestTime.now + elapsed.withLock { $0 } / 1000 },
            unixMilliseconds: { [elapsed] in TestTime.now.milliseconds + elapsed.withLock { $0 } },
            monotonicNanoseconds: { [elapsed] in start + elapsed.withLock { $0 } * 1_000_000 })
    }

    /// A configuration with these bots, for the apps `shop` and `bank`.
    func configuration(_ bots: [BotDefinition]) throws -> Configuration {
        var configuration = try directory.configuration(
            """
            {"listen":{"port":0,"max_connections":\(Self.maximumConnections)},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},"notifiers":{"log":{"type":"log"}},
             "shutdown":{"drain_seconds":\(drainSeconds)},"store":\(store),
             "apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]},
                     {"app_id":"bank","keys":[{"id":3,"secret":{"file":"secrets/app-3.key"}}]\(bankVerify)}]}
            """)
        configuration.bots = bots
        return configuration
    }

    /// Serves bots on real sockets until the body has returned.
    func withService<Result>(_ bots: [BotDefinition], _ body: (RunningService) throws -> Result)
        throws -> Result
    {
        let service = try RunningService(configuration(bots), logger: log.logger, clocks: clocks)
        defer { service.stop() }
        return try body(service)
    }

    /// Serves the bot `orders` with a scripted backend.
    func withBot<Result>(
        _ script: ScriptedServer.Script, timeout: Int = Int(WaitLimit.milliseconds), limits: [LimitRule] = [],
        records: Bool = false,
        _ body: (RunningService, ScriptedServer) throws -> Result
    ) throws -> Result {
        let backend = try ScriptedServer(script)
        defer { backend.stop() }
        return try withService([
            Self.bot(backend.url(""), timeout: timeout, limits: limits, records: records)
        ]) { (service) throws in
            try body(service, backend)
        }
    }

    /// The bot, with functions of every kind.
    /// - Parameter backend: the beginning of the functions' addresses.
    static func bot(
        _ backend: String, name: String = "orders", apps: [String] = ["shop"],
        secrets: [String] = [secret], timeout: Int = Int(WaitLimit.milliseconds),
        limits: [LimitRule] = [], records: Bool = false, without missing: String? = nil
    ) throws -> BotDefinition {
        let order =
            #""order_id":{"type":"string","description":"The order.","minLength":1,"maxLength":64}"#
        let functions = try [
            function(
                "get_order_list", method: .get, url: "\(backend)/users/{customer}/orders",
                properties: #""state":{"type":"string","enum":["open","closed"]},"most":{"type":"integer","minimum":1,"maximum":50}"#,
                timeout: timeout,
                limits: limits),
            function(
                "get_order_details", method: .get, url: "\(backend)/orders/{order_id}?of={customer}", properties: order,
                required: ["order_id"], timeout: timeout),
            function(
                "cancel_order", method: .post, url: "\(backend)/orders/{order_id}/cancel",
                properties: order + #","reason":{"type":"string"}"#,
                required: ["order_id"], confirmation: .user, timeout: timeout, limits: limits),
            function(
                "move_order", method: .put, url: "\(backend)/orders/{order_id}", properties: order + #","to":{"type":"string"}"#,
                required: ["order_id", "to"],
                confirmation: .model, timeout: timeout, limits: limits),
            function(
                "reorder", method: .post, url: "\(backend)/reorder",
                properties: order + #","count":{"type":"integer"},"notes":{"type":"object"}"#,
                required: ["order_id"], timeout: timeout, limits: limits),
        ].filter { $0.name != missing }
        return try BotDefinition(
            name: name, apps: apps, publicURL: "https://d.example.com",
            secrets: secrets.map { try StandardWebhookSecret($0) },
            systemMessage: BotText("You help {user_id} of {city}."),
            firstMessage: BotDefinition.FirstMessage(message: "Hello!", options: ["My orders"]),
            recordsArguments: records,
            functions: functions)
    }

    private static func function(
        _ name: String, method: BotMethod, url: String, properties: String,
        required: [String] = [],
        confirmation: BotConfirmation = .none, timeout: Int, limits: [LimitRule] = []
    ) throws -> BotFunction {
        let text =
            #"{"type":"object","properties":{\#(properties)},"required":[\#(required.map { "\"\($0)\"" }.joined(separator: ","))]}"#
        guard let schema = JSONValue(parsing: Array(text.utf8)) else {
            preconditionFailure("the schema is JSON")
        }
        let secret = SecretBytes(copying: backendSecret.utf8.span)
        return BotFunction(
            name: name, description: "Does \(name).",
            parameters: try JSONSchema(schema, refusesUnknownNames: true),
            modelParameters: schema, bindings: [("customer", .userID)],
            action: .request(
                BotRequest(
                    method: method, url: try BotURLTemplate(url),
                    headers: [
                        .init(name: "X-Api-Key", value: .secret(secret)),
                        .init(name: "X-Customer", value: .text(try BotText("id {customer}"))),
                    ], timeoutMilliseconds: timeout)), confirmation: confirmation, limits: limits)
    }
}

enum BotPerson {
    /// The members that authenticate a person.
    /// - Parameter key: nil for one that is issued now and does not expire.
    static func credentials(user: String = "user-1", app: String = "shop", key: String? = nil) throws -> [(
        String, JSONValue
    )] {
        let number = app == "shop" ? 1 : 3
        let key = try key ?? TestKey(app: app, user: user, keyID: UInt32(number), secret: number).text()
        return [("app_id", .string(app)), ("user_id", .string(user)), ("security_key", .string(key))]
    }
}

extension RunningService {
    /// Sends a request with a JSON body without waiting for the response.
    func begin(_ path: String, _ body: JSONValue, headers: String = "") throws -> SocketClient {
        try begin(
            "POST \(path)", body.serialized(), headers: headers + "Content-Type: application/json\r\n")
    }

    /// Sends a request without waiting for the response.
    func begin(_ line: String, _ body: [UInt8] = [], headers: String = "") throws -> SocketClient {
        let client = try SocketClient(publicAddress)
        try client.send(
            Array(
                "\(line) HTTP/1.1\r\nHost: localhost\r\n\(headers)Content-Length: \(body.count)\r\n\r\n"
                    .utf8) + body)
        return client
    }

    func startBot(
        _ name: String = "orders", user: String = "user-1", app: String = "shop", key: String? = nil,
        fields: JSONValue? = ["city": "Berlin"]
    ) throws -> ReceivedResponse {
        let more = fields.map { [("fields", $0)] } ?? []
        return try begin(
            "/bots/\(name)/start", .object(JSONObject(BotPerson.credentials(user: user, app: app, key: key) + more))
        ).readResponse()
    }

    func ticket(
        _ name: String = "orders", user: String = "user-1", app: String = "shop", key: String? = nil
    ) throws -> String {
        let response = try startBot(name, user: user, app: app, key: key)
        guard let ticket = JSONValue(parsing: response.body)?["ticket"]?.text else {
            throw SocketClient.Failure.malformed(response.text)
        }
        return ticket
    }

    /// Calls a function in the vendor's form, with JSON, without waiting for the response.
    func beginCall(
        _ function: String, _ arguments: JSONValue = [:], ticket: String, bot: String = "orders"
    ) throws -> SocketClient {
        try begin(
            "/bots/\(bot)/functions/\(function)", arguments,
            headers: "Authorization: Bearer \(ticket)\r\n")
    }

    /// Calls a function in the vendor's form.
    func call(
        _ function: String, _ arguments: JSONValue = [:], ticket: String, bot: String = "orders"
    ) throws -> ReceivedResponse {
        try beginCall(function, arguments, ticket: ticket, bot: bot).readResponse()
    }

    /// Calls a function in the vendor's form with GET.
    func get(_ function: String, _ query: String = "", ticket: String, bot: String = "orders") throws
        -> ReceivedResponse
    {
        try begin(
            "GET /bots/\(bot)/functions/\(function)\(query)",
            headers: "Authorization: Bearer \(ticket)\r\n"
        ).readResponse()
    }

    func callNeutrally(
        _ function: String, _ arguments: JSONValue, ticket: String, confirmation: String? = nil
    ) throws -> ReceivedResponse {
        var body: JSONObject = [
            "ticket": .string(ticket), "name": .string(function), "arguments": arguments,
        ]
        if let confirmation { body.append(.string(confirmation), forKey: "confirmation") }
        return try begin("/bots/orders/call", .object(body)).readResponse()
    }

    /// Confirms a call like the person's app, without waiting for the response.
    func beginConfirm(
        _ confirmation: String, bot: String = "orders", user: String = "user-1", app: String = "shop", key: String? = nil
    ) throws -> SocketClient {
        try begin(
            "/bots/\(bot)/confirm",
            .object(
                JSONObject(
                    BotPerson.credentials(user: user, app: app, key: key) + [("confirmation", .string(confirmation))])))
    }

    /// Confirms a call like the person's app.
    func confirm(
        _ confirmation: String, bot: String = "orders", user: String = "user-1", app: String = "shop", key: String? = nil
    ) throws -> ReceivedResponse {
        try beginConfirm(confirmation, bot: bot, user: user, app: app, key: key).readResponse()
    }

    /// The stored calls, oldest first.
    func storedCalls() throws -> [BotCall] {
        try graph.store.botCalls(BotCallFilter(), after: nil, limit: 100).calls.reversed()
    }

    /// The metric lines that begin with `name` and have a value above zero, without that prefix.
    func metricLines(_ name: String) throws -> [String] {
        let client = try SocketClient(adminAddress)
        try client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try client.readResponse().text.split(separator: "\n").filter {
            $0.hasPrefix(name) && !$0.hasSuffix(" 0")
        }
        .map { String($0.dropFirst(name.count)) }
    }
}

extension ReceivedResponse {
    /// The body as JSON; null if it is no valid JSON.
    var json: JSONValue { JSONValue(parsing: body) ?? .null }

    var error: String? { json["error"]?.text }
}

extension ScriptedStep {
    /// Sends a complete response with JSON.
    static func json(_ status: Int = 200, _ body: String) -> ScriptedStep {
        .respond(status, headers: ["Content-Type: application/json"], body: body)
    }
}
