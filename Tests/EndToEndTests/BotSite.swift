import HTTPClient
import HTTPServer
import JSON
import POSIX
import Simulators
import TestSupport
import Testing
import Threading

/// The bot of `deskgate init --bot-demo`, served by the real program, with its shop and a model in the test.
final class BotSite {
    struct Start {
        let data: String
        let ticket: String
    }

    static let customer = "user-1"
    static let victim = "user-2"
    static let app = "shop"

    let scratch: TemporaryDirectory
    let shop: SampleShop
    let server: RunningServer
    let client: Client
    let phone: BotPhone

    /// The base URL of the public listener.
    var url: String { phone.url }

    /// - Parameters:
    ///   - database: used instead of a SQLite file; the caller must keep it alive.
    ///   - change: changes the configuration's text.
    init(database: PostgresServer? = nil, _ change: (inout String) throws -> Void = { _ in }) throws {
        let scratch = try TemporaryDirectory()
        self.scratch = scratch
        #expect(try Deskgate.run("init", "--bot-demo", "--port", "8080", scratch.path("d")).code == 0)
        func secret(_ name: String) throws -> String { String(try scratch.read("d/secrets/\(name)").dropLast()) }
        let shop = try SampleShop(
            SampleShopSettings(secrets: [secret("bot-orders.whsec")], token: secret("shop-token")))
        self.shop = shop
        var text = try scratch.read("d/config.json").replacing("http://127.0.0.1:8082", with: shop.url)
        for port in ["8080", "8081"] { text = text.replacing("\"port\": \(port)", with: "\"port\": 0") }
        // Refusals by a limit would hide other refusals.
        text = text.replacing("\"max\": 100", with: "\"max\": 1000").replacing("\"window_seconds\": 60", with: "\"window_seconds\": 1")
        try change(&text)
        if let database {
            try scratch.write("d/database-url", database.url(), mode: 0o600)
            let store: JSONValue = ["type": "postgres", "url": ["file": "database-url"]]
            text = String(decoding: JSONValue.object(try jsonObject(text).replacing(["store": store])).serialized(), as: UTF8.self)
        }
        try scratch.write("d/config.json", text)
        let server = try RunningServer(configuration: scratch.path("d/config.json"))
        self.server = server
        #expect(eventually { (try? PushSite.get(server.publicAddress, "/readyz")) == #"200 {"status":"ready"}"# })
        client = try Client()
        phone = BotPhone(url: "http://\(server.publicAddress)", key: try Self.mint(Self.customer, scratch), client: client)
    }

    deinit {
        client.close()
        shop.stop()
    }

    static func mint(_ user: String, _ scratch: TemporaryDirectory, ttl: String? = nil) throws -> String {
        let words = ["key", "mint", "--config", scratch.path("d/config.json"), "--app", app, "--user", user]
        let result = try Deskgate.run(words + (ttl.map { ["--ttl", $0] } ?? []))
        return String(result.output.dropLast())
    }

    /// Sends an operator's request about the app, and returns the status of its answer.
    func operate(_ path: String, _ members: String) throws -> Int {
        let admin = try SocketClient(server.adminAddress)
        let token = try scratch.read("d/secrets/admin-token").dropLast()
        let body = #"{"app_id":"\#(Self.app)",\#(members)}"#
        try admin.send(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try admin.readResponse().status
    }

    /// Starts the bot; the addresses in the text for the vendor are replaced by this server's.
    func start(fields: JSONObject? = nil) throws -> Start {
        let answer = try phone.ask("orders/start", [("fields", fields.map(JSONValue.object))])
        try #require(answer.statusCode == 200)
        let data = try #require(answer.text("ai_attrs")).replacing("http://127.0.0.1:8080", with: url)
        return Start(data: data, ticket: try #require(answer.text("ticket")))
    }

    /// A model with the text of a start.
    func model(_ start: Start) throws -> SimulatedModel { try SimulatedModel(data: start.data, client: client) }
}

/// The customer's app, with the customer's key.
struct BotPhone: Sendable {
    /// The base URL of the public listener.
    let url: String
    let key: String
    let client: Client

    /// A request of the customer's app.
    /// - Parameter more: members of the body; nil ones are omitted.
    func ask(
        _ path: String, user: String = BotSite.customer, key: String? = nil, _ more: [(String, JSONValue?)] = []
    ) throws -> FunctionResponse {
        let own: [(String, JSONValue?)] = [
            ("app_id", .string(BotSite.app)), ("user_id", .string(user)), ("security_key", .string(key ?? self.key)),
        ]
        return try post(path, .object(JSONObject((own + more).compactMap { name, value in value.map { (name, $0) } })))
    }

    /// A POST to a path below `/bots/`.
    func post(_ path: String, _ body: JSONValue) throws -> FunctionResponse {
        var request = ModelRequest(url: "\(url)/bots/\(path)", headers: [("Content-Type", "application/json")])
        request.body = body.serialized()
        return try request.send(with: client)
    }
}
