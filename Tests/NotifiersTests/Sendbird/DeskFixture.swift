import Core
import Crypto
import HTTPClient
import JSON
import Simulators
import TestSupport
import Threading
import Time

@testable import Sendbird

/// The tickets of one app at a simulated Sendbird Desk, with a scripted Chat.
final class DeskFixture {
    let desk: SimulatedDesk
    let faults = FaultScript()
    let tickets: DeskTickets
    let chat: ScriptedServer
    /// The simulator's time, which advances with every change.
    let now: Monitor<UnixMilliseconds>

    /// - Parameters:
    ///   - token: the client's token; nil for the valid one.
    ///   - chat: Chat's responses.
    static func with(
        token: String? = nil, chat: ScriptedServer.Script = .everyRequest(.respond(200, body: "{}")),
        _ change: (inout SimulatedDeskSettings) -> Void = { _ in }, _ body: (DeskFixture) throws -> Void
    ) throws {
        let server = try ScriptedServer(chat)
        defer { server.stop() }
        let http = try Client()
        defer { http.close() }
        let fixture = try DeskFixture(token, chat: server, http: http, change: change)
        defer { fixture.desk.stop() }
        try body(fixture)
    }

    private init(
        _ token: String?, chat: ScriptedServer, http: Client, change: (inout SimulatedDeskSettings) -> Void
    ) throws {
        let now = Monitor<UnixMilliseconds>(1_800_000_000_000)
        self.now = now
        var settings = SimulatedDeskSettings()
        settings.now = {
            now.withLock { time in
                time = time + 1000
                return time
            }
        }
        change(&settings)
        desk = try SimulatedDesk(settings, faults: faults)
        self.chat = chat
        tickets = DeskTickets(
            DeskClient(
                desk: Self.client(.desk, url: desk.url, token: token ?? desk.token, http: http),
                chat: Self.client(.chat, url: "http://127.0.0.1:\(chat.port)", token: "chat-token-of-a-test", http: http)))
    }

    static func client(_ api: PlatformAPI, url: String, token: String, http: Client) -> PlatformClient {
        PlatformClient(
            api, baseURL: url, tokens: [SecretBytes(copying: token.utf8.span)], clocks: ManualClocks().clocks, observer: nil
        ) { request, completion in http.send(request, completion: completion) }
    }

    /// Creates a customer's ticket that an agent has accepted.
    func activeTicket(of user: String = "user-1", title: String = "Order 7", fields: [TicketField] = []) throws -> Ticket {
        let made = try create(user, title: title, fields: fields)
        desk.perform(.assign, onTicket: made.id)
        return try tickets.ticket(.id(made.id))
    }

    func create(
        _ user: String = "user-1", title: String = "Order 7", group: String? = nil, priority: String? = nil, fields: [TicketField] = [],
        related: [String] = [], name: String? = nil
    ) throws -> Ticket {
        try tickets.create(
            TicketDraft(
                userID: user, userName: name, title: title, groupKey: group, priority: priority, fields: fields, relatedChannels: related,
                message: nil)
        ).ticket
    }
}

/// The failure of a call about tickets; nil on success.
func failure<Result>(_ call: () throws -> Result) throws -> TicketFailure? {
    do {
        _ = try call()
        return nil
    } catch let error as TicketFailure {
        return error
    }
}
