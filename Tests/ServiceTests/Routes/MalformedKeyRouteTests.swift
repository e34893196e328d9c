import JSON
import TestSupport
import Testing

@testable import Configuration
@testable import Service

/// Requests with a malformed security key, to the routes of two help desks.
@Suite struct MalformedKeyRouteTests {
    private static let doors = [
        ("/pyrus/authorize", "shop"), ("/pyrus/push-token", "shop"), ("/sendbird/session-token", "chat"),
    ]

    private let fixture: ServiceFixture

    /// `shop` is an app of Pyrus, `chat` an app of Sendbird.
    init() throws {
        let directory = try ConfigurationDirectory()
        for (number, name) in ["chat", "desk"].enumerated() {
            try directory.scratch.write("secrets/\(name)-token", TestSecret.text(number + 50))
        }
        fixture = try ServiceFixture(
            in: directory,
            json: """
                {"listen":{"port":0},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},"log":{},"apps":[
                  {"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]},
                  {"app_id":"chat","keys":[{"id":1,"secret":{"file":"secrets/app-2.key"}}],"help_desk":"sendbird",
                   "sendbird":{"chat_token":{"file":"secrets/chat-token"},"desk_token":{"file":"secrets/desk-token"}}}]}
                """)
    }

    private func ask(_ service: RunningService, path: String, app: String) throws -> Int {
        let body = try AuthorizeCases.json(["app_id": "\"\(app)\"", "security_key": "\"x\""])
        let exchange = ExchangeCase(name: path, path: path, body: body, status: 400, answer: "")
        let client = try SocketClient(service.publicAddress)
        return try exchange.send(to: client).status
    }

    /// The texts of the steps about the latest requests of `user-1`.
    private func record(_ service: RunningService, _ app: String) throws -> String {
        let client = try SocketClient(service.adminAddress)
        try client.send(
            "GET /v1/explain?app_id=\(app)&user_id=user-1 HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(ServiceFixture.token)\r\n\r\n")
        let response = try client.readResponse()
        let json = try JSONDocument(parsing: response.body.span).value()
        let steps = try #require(json["steps"]?.elements)
        return steps.filter { $0["step"]?.text == "authorization" }.compactMap { $0["text"]?.text }.joined(separator: " ")
    }

    @Test(arguments: doors) func `the log names the app`(_ path: String, _ app: String) throws {
        try fixture.withService { (service) throws in
            let (status, record) = (try ask(service, path: path, app: app), try record(service, app))
            #expect(status == 400)
            #expect(record.contains("(not_a_security_key)"))
        }
        let lines = try fixture.log.lines().filter { $0.contains(" result=malformed ") }
        #expect(lines.map { $0.contains(" app=\(app) ") } == [true])
    }

    @Test(arguments: doors) func `another help desk's app is unknown`(_ path: String, _ app: String) throws {
        let other = app == "shop" ? "chat" : "shop"
        try fixture.withService { (service) throws in
            let (status, record) = (try ask(service, path: path, app: other), try record(service, other))
            #expect(status == 400)
            #expect(record.hasPrefix("No denial of this user is known"))
        }
        let lines = try fixture.log.lines().filter { $0.contains(" result=malformed ") }
        #expect(lines.map { $0.contains(" app=") } == [false])
    }
}
