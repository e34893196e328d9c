import JSON
import Observability
import Simulators
import TestSupport
import Testing
import Threading
import Time

@testable import Configuration
@testable import Service

/// The service with the bot `orders` and its hand-off to people, for the app `shop` of a simulated Sendbird with the users `user-1` and
/// `user-2`. Its clock does not advance.
final class HandOffSite {
    static let summary: JSONValue = ["summary": "Where is order 7?"]
    /// The number of the first message in the simulated Chat.
    private static let firstMessage: Int64 = 8_000_000_001

    let desk: SimulatedDesk
    let chat: SimulatedChat
    let faults: FaultScript
    let directory: ConfigurationDirectory
    let log: TestLog
    private let sendbird: SimulatedSendbird
    private let store: String
    private let handOff: String

    /// - Parameter handOff: the object `connect_to_person`.
    init(_ handOff: String = "{}", store: String = #"{"type":"memory"}"#) throws {
        sendbird = try SimulatedSendbird()
        (desk, chat, faults) = (sendbird.desk, sendbird.chat, sendbird.faults)
        for user in ["user-1", "user-2"] { sendbird.chat.meet(user) }
        directory = try BotDocument.directory()
        try directory.scratch.write("secrets/desk-token", sendbird.desk.token + "\n")
        try directory.scratch.write("secrets/chat-token", sendbird.chat.token + "\n")
        log = try TestLog(in: directory.scratch, level: .debug)
        (self.handOff, self.store) = (handOff, store)
    }

    deinit { sendbird.stop() }

    /// - Parameters:
    ///   - url: the address of Chat and Desk; nil for the simulated ones.
    ///   - handOff: the object `connect_to_person`; nil for the one of this site.
    func configuration(url: String? = nil, _ handOff: String? = nil) throws -> Configuration {
        let bot = BotDocument.bot(["connect_to_person": handOff ?? self.handOff])
        return try directory.configuration(
            """
            {"listen":{"port":0},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},"log":{},"store":\(store),
             "shutdown":{"drain_seconds":1},"bots":[\(bot)],
             "apps":[{"app_id":"shop","help_desk":"sendbird","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],
             "sendbird":{"chat_token":{"file":"secrets/chat-token"},"desk_token":{"file":"secrets/desk-token"},
              "chat_url":"\(url ?? chat.url)","desk_url":"\(url ?? desk.url)"}}]}
            """
        ).patientWithSendbird
    }

    /// Serves until the body has returned, with the store of the previous run.
    func withService<Result>(url: String? = nil, _ handOff: String? = nil, _ body: (RunningService) throws -> Result) throws -> Result {
        let clocks = Clocks(unixSeconds: { TestTime.now }, monotonicNanoseconds: { 0 })
        let service = try RunningService(configuration(url: url, handOff), logger: log.logger, clocks: clocks)
        defer { service.stop() }
        return try body(service)
    }

    /// Returns the number of a customer's ticket that an agent has accepted.
    func activeTicket(_ service: RunningService, of user: String = "user-1") throws -> Int64 {
        let body: JSONValue = ["app_id": "shop", "user_id": .string(user), "title": "Order 7", "message": "Hello"]
        let client = try SocketClient(service.adminAddress)
        let bytes = body.serialized()
        try client.send(
            Array(
                ("POST /v1/tickets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ServiceFixture.token)\r\n"
                    + "Content-Length: \(bytes.count)\r\n\r\n").utf8) + bytes)
        let id = try #require(try client.readResponse().json["ticket"]?["ticket_id"]?.integer)
        #expect(desk.perform(.assign, onTicket: id))
        return id
    }

    /// The messages that people have sent in a channel, as `SENDER: TEXT`.
    func messages(in channel: String) -> [String] {
        (0..<10).compactMap { chat.message(Self.firstMessage + $0, in: channel) }.map {
            "\($0["user"]?["user_id"]?.text ?? "?"): \($0["message"]?.text ?? "?")"
        }
    }

    /// Every message in every ticket.
    func allMessages() -> [String] { (101..<130).flatMap { messages(in: "sendbird_desk_\($0)") } }
}

extension RunningService {
    /// The response to a model's call with a ticket, and to its confirmation.
    func askForPerson(ticket: String, _ arguments: JSONValue = HandOffSite.summary) throws -> String {
        let asked = try call("connect_to_person", arguments, ticket: ticket)
        #expect(asked.status == 409)
        #expect(asked.error == "confirmation_required")
        return try #require(asked.json["confirmation"]?.text)
    }
}
