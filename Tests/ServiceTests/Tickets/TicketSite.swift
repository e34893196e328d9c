import Core
import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing
import Threading
import Time

@testable import Configuration
@testable import Sendbird
@testable import Service

/// The service with an app of a simulated Sendbird, whose Chat has `user-1` and `user-2`. If the test has another server, the service also
/// has `stuck`, a second app of Sendbird.
final class TicketSite {
    let desk: SimulatedDesk
    let chat: SimulatedChat
    let faults: FaultScript
    let service: RunningService
    let fixture: ServiceFixture
    /// Milliseconds of the monotonic clock.
    private let elapsed: Monitor<UInt64>

    /// - Parameters:
    ///   - members: members of the apps' `sendbird` in addition to the tokens and the addresses.
    ///   - stuck: the address of Chat and Desk of `stuck`; nil for no such app.
    static func with(members: String = #","tickets":true"#, stuck: String? = nil, _ body: (TicketSite) throws -> Void) throws {
        let sendbird = try SimulatedSendbird()
        defer { sendbird.stop() }
        for user in ["user-1", "user-2"] { sendbird.chat.meet(user) }
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/desk-token", sendbird.desk.token + "\n")
        try directory.scratch.write("secrets/chat-token", sendbird.chat.token + "\n")
        let app = """
            {"app_id":"shop","help_desk":"sendbird","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],
             "sendbird":{"chat_token":{"file":"secrets/chat-token"},"desk_token":{"file":"secrets/desk-token"},
              "chat_url":"\(sendbird.chat.url)","desk_url":"\(sendbird.desk.url)"\(members)}}
            """
        let other = #"{"app_id":"other","keys":[{"id":1,"secret":{"file":"secrets/app-2.key"}}]}"#
        for (number, name) in ["stuck-chat", "stuck-desk"].enumerated() {
            try directory.scratch.write("secrets/\(name)", TestSecret.text(60 + number) + "\n")
        }
        let third = stuck.map { url in
            """
            ,{"app_id":"stuck","help_desk":"sendbird","keys":[{"id":1,"secret":{"file":"secrets/app-3.key"}}],
             "sendbird":{"chat_token":{"file":"secrets/stuck-chat"},"desk_token":{"file":"secrets/stuck-desk"},
              "chat_url":"\(url)","desk_url":"\(url)"\(members)}}
            """
        }
        let json = """
            {"listen":{"port":0},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},
             "apps":[\(app),\(other)\(third ?? "")],"log":{}}
            """
        let fixture = try ServiceFixture(in: directory, json: json)
        let elapsed = Monitor<UInt64>(0)
        let clocks = Clocks(unixSeconds: { TestTime.now }, monotonicNanoseconds: { elapsed.withLock { $0 } * 1_000_000 })
        let service = try RunningService(fixture.configuration.patientWithSendbird, logger: fixture.log.logger, clocks: clocks)
        defer { service.stop() }
        try body(TicketSite(sendbird, service: service, fixture: fixture, elapsed: elapsed))
    }

    private init(_ sendbird: SimulatedSendbird, service: RunningService, fixture: ServiceFixture, elapsed: Monitor<UInt64>) {
        self.elapsed = elapsed
        (desk, chat, faults) = (sendbird.desk, sendbird.chat, sendbird.faults)
        self.service = service
        self.fixture = fixture
    }

    /// Advances the monotonic clock.
    func pass(milliseconds: UInt64) { elapsed.update { $0 += milliseconds } }

    func call(_ name: String, _ members: JSONObject = [:], user: String = "user-1", app: String = "shop", key: String? = nil) throws
        -> LocalizedText
    {
        LocalizedText(try begin(name, members, user: user, app: app, key: key).readResponse())
    }

    /// Sends a customer's call without waiting for the response.
    func begin(
        _ name: String, _ members: JSONObject = [:], user: String = "user-1", app: String = "shop", key: String? = nil
    ) throws -> SocketClient {
        var body: JSONObject = ["app_id": .string(app), "user_id": .string(user)]
        let secret = ["shop": 1, "stuck": 3][app] ?? 2
        body.append(.string(try key ?? TestKey(app: app, user: user, secret: secret).text()), forKey: "security_key")
        for member in members.members { body.append(member.value, forKey: member.key) }
        return try begin(service.publicAddress, line: "POST /sendbird/tickets/\(name)", body: JSONValue.object(body).serialized())
    }

    func ask(_ name: String, _ members: JSONObject? = nil, query: String = "") throws -> LocalizedText {
        let path = "/v1/tickets\(name)"
        guard let members else { return try send(service.adminAddress, line: "GET \(path)?app_id=shop\(query)", body: []) }
        var body: JSONObject = ["app_id": "shop"]
        for member in members.members { body.append(member.value, forKey: member.key) }
        return try post(service.adminAddress, path: path, body: JSONValue.object(body).serialized())
    }

    func post(_ address: ListenAddress, path: String, body: [UInt8]) throws -> LocalizedText {
        try send(address, line: "POST \(path)", body: body)
    }

    private func send(_ address: ListenAddress, line: String, body: [UInt8]) throws -> LocalizedText {
        LocalizedText(try begin(address, line: line, body: body).readResponse())
    }

    /// Sends a request without waiting for the response.
    func begin(_ address: ListenAddress, line: String, body: [UInt8] = []) throws -> SocketClient {
        let client = try SocketClient(address)
        try client.send(
            "\(line) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ServiceFixture.token)\r\nContent-Length: \(body.count)\r\n\r\n")
        try client.send(body)
        return client
    }

    func breakChat() { faults.add(Fault(.answer(.init(500)), at: .sendbirdChat, times: nil)) }

    /// The channel of a new ticket that is in no list yet.
    func channel(of user: String) throws -> String {
        try #require(try ask("", ["user_id": .string(user), "title": "Earlier"]).json?["ticket"]?["channel"]?.text)
    }

    /// Returns the number of a customer's ticket that an agent has accepted.
    func activeTicket(of user: String = "user-1") throws -> Int64 {
        let made = try ask("", ["user_id": .string(user), "title": "Order 7"])
        let id = try #require(made.json?["ticket"]?["ticket_id"]?.integer)
        #expect(desk.perform(.assign, onTicket: id))
        return id
    }

    struct LocalizedText {
        let status: Int
        let json: JSONValue?
        let text: String
        let retryAfter: String?

        init(_ response: ReceivedResponse) {
            status = response.status
            text = response.text
            json = JSONValue(parsing: Array(response.body))
            retryAfter = response.headers["retry-after"]
        }

        var error: String? { json?["error"]?.text }
    }
}
