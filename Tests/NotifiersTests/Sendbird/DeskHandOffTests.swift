import Core
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Sendbird

/// A hand-off at a Desk with invalid responses.
@Suite struct DeskHandOffTests {
    private static let draft = Result {
        try TicketDraft(
            userID: "user-1", title: "T", groupKey: nil, priority: nil, fields: [], relatedChannels: [], message: "Hello")
    }

    /// Returns the result of a hand-off at a Desk that returns these tickets in each list, and the requests to Chat.
    private func handOff(
        _ tickets: String, chat: ScriptedStep = .respond(200, body: "{}")
    ) throws -> (Result<HandOff, HandOffFailure>, chat: [String]) {
        let desk = try ScriptedServer(.everyRequest(.respond(200, body: #"{"count":1,"next":null,"results":[\#(tickets)]}"#)))
        defer { desk.stop() }
        let server = try ScriptedServer(.everyRequest(chat))
        defer { server.stop() }
        let http = try Client()
        defer { http.close() }
        let client = DeskClient(
            desk: DeskFixture.client(.desk, url: desk.url(""), token: "a-token-of-the-test", http: http),
            chat: DeskFixture.client(.chat, url: server.url(""), token: "chat-token-of-a-test", http: http))
        let draft = try Self.draft.get()
        let result: Result<HandOff, HandOffFailure>
        do throws(HandOffFailure) {
            result = .success(try DeskTickets(client).handOff(draft))
        } catch {
            result = .failure(error)
        }
        return (result, server.requests.map(\.target))
    }

    private static func ticket(_ id: Int, _ state: String, of user: String = "user-1", title: String = "T") -> String {
        #"{"id":\#(id),"status2":"\#(state)","channelUrl":"c\#(id)","channelName":"\#(title)","customer":{"sendbirdId":"\#(user)"}}"#
    }

    /// A Desk that ignores the filter returns the same list for every state.
    @Test func `only an open ticket of the person gets the message`() throws {
        let tickets = [
            Self.ticket(9, "ACTIVE", of: "user-2"), Self.ticket(8, "CLOSED"), Self.ticket(7, "SOMETHING_NEW"),
            Self.ticket(6, "INITIALIZED"),
            #"{"id":5,"status2":"ACTIVE","customer":{"sendbirdId":"user-1"}}"#, Self.ticket(4, "PENDING"), Self.ticket(3, "PENDING"),
        ]
        let (result, chat) = try handOff(tickets.joined(separator: ","))
        #expect(try result.get().ticket.id == 4)
        #expect(try result.get().isNew == false)
        #expect(chat == ["/v3/group_channels/c4/messages"])
    }

    @Test func `a ticket hidden from support is used only if an earlier hand-off has created it`() throws {
        let tickets = [Self.ticket(7, "INITIALIZED", title: "Mine"), Self.ticket(6, "INITIALIZED")]
        let (result, chat) = try handOff(tickets.joined(separator: ","))
        #expect(try result.get().ticket.id == 6)
        #expect(try result.get().isNew)
        #expect(chat == ["/v3/group_channels/c6/messages"])
    }

    @Test(arguments: ["", "null", #"{"id":"x"}"#, #"{"id":1,"status2":"CLOSED"}"#])
    func `an invalid customer fails without any change`(_ tickets: String) throws {
        let (result, chat) = try handOff(tickets)
        #expect(result == .failure(HandOffFailure(.unavailable(reason: "malformed_response"), mayBeDone: false)))
        #expect(chat.isEmpty)
    }

    @Test(
        arguments: [
            (429, TicketFailure.limited(seconds: 1), false), (401, .unauthorized, false), (400, .refused, false), (404, .notFound, false),
            (500, .unavailable(reason: "status_500"), true), (503, .unavailable(reason: "status_503"), true),
        ]) func `only a message without a response may have been sent`(_ status: Int, failure: TicketFailure, mayBeDone: Bool) throws
    {
        let answer = ScriptedStep.respond(status, headers: ["Retry-After: 1"])
        let (result, _) = try handOff(Self.ticket(4, "PENDING"), chat: answer)
        #expect(result == .failure(HandOffFailure(failure, mayBeDone: mayBeDone)))
    }
}
