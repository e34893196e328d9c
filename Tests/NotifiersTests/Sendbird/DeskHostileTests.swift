import Core
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import Sendbird

/// A Desk with invalid responses.
@Suite struct DeskHostileTests {
    /// The tickets of a scripted Desk.
    func with(_ script: ScriptedServer.Script, _ body: (DeskTickets, ScriptedServer) throws -> Void) throws {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        let http = try Client()
        defer { http.close() }
        let client = DeskFixture.client(.desk, url: "http://127.0.0.1:\(server.port)", token: "a-token-of-the-test", http: http)
        try body(DeskTickets(DeskClient(desk: client, chat: client)), server)
    }

    private static let closed = TicketQuery(.closed, userID: nil)
    private static let malformed = TicketFailure.unavailable(reason: "malformed_response")

    private static func list(_ results: [String], next: String = "null", count: String = "1") -> String {
        #"{"count":\#(count),"next":\#(next),"results":[\#(results.joined(separator: ","))]}"#
    }

    @Test(arguments: [
        "", "[]", "null", "{}", "<html>", #"{"results":{}}"#, #"{"count":1,"results":[{"id":1}"#, #"{"id":"x"}"#, #"{"id":1.5}"#,
        #"{"id":99999999999999999999}"#,
    ])
    func `reports an invalid ticket`(_ body: String) throws {
        try with(.everyRequest(.respond(200, body: body))) { tickets, _ throws in
            #expect(try failure { try tickets.ticket(.id(1)) } == Self.malformed)
            #expect(try failure { try tickets.list(Self.closed) } == Self.malformed)
            #expect(try failure { try tickets.count(of: nil) } == Self.malformed)
            #expect(try failure { try tickets.setFields([TicketField(key: "a", value: "b")], ofCustomer: "user-1") } == Self.malformed)
        }
    }

    @Test func `reports a response that is too long`() throws {
        let body = Self.list([#"{"id":1,"channelName":"\#(String(repeating: "x", count: 1 << 20))"}"#])
        try with(.everyRequest(.respond(200, body: body))) { tickets, _ throws in
            #expect(try failure { try tickets.list(Self.closed) } == Self.malformed)
        }
    }

    @Test func `reports a truncated response`() throws {
        try with(.everyConnection(.readRequest, .respondWrongly(200, contentLength: 4096, body: "{"))) { tickets, _ throws in
            guard case .unavailable = try failure({ try tickets.ticket(.id(1)) }) else {
                Issue.record("a truncated response was accepted")
                return
            }
        }
    }

    /// A response with another ticket is rejected.
    @Test func `rejects another ticket`() throws {
        try with(.everyRequest(.respond(200, body: #"{"id":2,"status2":"ACTIVE"}"#))) { tickets, _ throws in
            #expect(try failure { try tickets.ticket(.id(1)) } == Self.malformed)
        }
    }

    @Test func `keeps numbers exact`() throws {
        let big: Int64 = 9_007_199_254_740_993
        let body = Self.list([#"{"id":\#(big),"customer":{"id":"9223372036854775807","sendbirdId":"u"},"status2":"CLOSED"}"#])
        try with(.everyRequest(.respond(200, body: body))) { tickets, _ throws in
            let ticket = try tickets.list(Self.closed).tickets[0]
            #expect(ticket.id == big)
            #expect(ticket.customerID == Int64.max)
        }
    }

    /// Invalid elements and unknown members are skipped.
    @Test func `parses valid elements of a list`() throws {
        let fields = #""customFields":"[{\"key\":\"a\",\"value\":\"b\"},{\"key\":1}]""#
        let channels = #""relatedChannels":"[\"c1\",{\"channel_url\":\"c2\",\"name\":\"N\"},{\"name\":\"M\"},3]""#
        let rest = #""customerSatisfactionScore":6,"createdAt":"yesterday""#
        let odd = #"{"id":7,"status2":"NEW","priority":5,"group":"x","channelType":"WHATSAPP_MESSAGE",\#(fields),\#(channels),\#(rest)}"#
        try with(.everyRequest(.respond(200, body: Self.list(["null", "5", "{}", odd])))) { tickets, _ throws in
            var ticket = Ticket(id: 7)
            ticket.fields = [TicketField(key: "a", value: "b")]
            ticket.channelType = "WHATSAPP_MESSAGE"
            ticket.relatedChannels = [RelatedChannel("c1"), RelatedChannel("c2", name: "N")]
            #expect(try tickets.list(Self.closed) == TicketPage(tickets: [ticket], next: nil))
        }
    }

    /// Elements beyond the requested number are dropped, and a `next` to another address is never followed.
    @Test func `redirects are not followed`() throws {
        let elsewhere = try ScriptedServer(.everyRequest(.respond(200, body: "{}")))
        defer { elsewhere.stop() }
        let many = (1...3000).map { #"{"id":\#($0),"status2":"CLOSED"}"# }
        let body = Self.list(many, next: "\"\(elsewhere.url("/steal"))\"", count: "3000")
        try with(.everyRequest(.respond(200, body: body))) { tickets, server throws in
            let page = try tickets.list(Self.closed)
            #expect(page.tickets.count == 10)
            #expect(page.next?[.closed] == 10)
            #expect(server.requests.count == 1)
            #expect(elsewhere.connectionCount == 0)
        }
    }

    /// The search of an endless list stops.
    @Test func `stops an endless search`() throws {
        let body = Self.list([#"{"id":1,"status2":"CLOSED"}"#], next: #""https://desk/next""#)
        try with(.everyRequest(.respond(200, body: body))) { tickets, server throws in
            let field = TicketField(key: "a", value: "b")
            let page = try tickets.list(TicketQuery(.closed, userID: nil, fields: [field]))
            #expect(page.tickets.isEmpty)
            #expect(page.next?[.closed] == 4)
            #expect(server.requests.count == 4)
        }
        try with(.everyRequest(.respond(200, body: Self.list([], next: #""https://desk/next""#)))) { tickets, _ throws in
            #expect(try tickets.list(Self.closed) == TicketPage(tickets: [], next: nil))
        }
    }

    /// Tickets of another customer are not shown.
    @Test func `hides other customers' tickets`() throws {
        let body = Self.list([
            #"{"id":1,"status2":"CLOSED","customer":{"sendbirdId":"user-2"}}"#, #"{"id":2,"status2":"CLOSED"}"#,
            #"{"id":3,"status2":"CLOSED","customer":{"sendbirdId":"user-1"}}"#,
        ])
        try with(.everyRequest(.respond(200, body: body))) { tickets, _ throws in
            let page = try tickets.list(TicketQuery(.closed, userID: "user-1"))
            #expect(page.tickets.map(\.id) == [3])
        }
    }

    @Test func `rejects a customer with a similar id`() throws {
        let body = #"{"count":1,"next":null,"results":[{"id":5,"sendbirdId":"user-10"}]}"#
        try with(.everyRequest(.respond(200, body: body))) { tickets, _ throws in
            #expect(try failure { try tickets.setFields([TicketField(key: "a", value: "b")], ofCustomer: "user-1") } == .unknownPerson)
        }
    }

    @Test func `reports a lost response`() throws {
        try with(.everyConnection(.readRequest, .reset)) { tickets, _ throws in
            guard case .unavailable = try failure({ try tickets.ticket(.id(1)) }) else {
                Issue.record("a lost response was accepted")
                return
            }
        }
    }
}
