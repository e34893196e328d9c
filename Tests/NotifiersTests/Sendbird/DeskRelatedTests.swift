import Core
import JSON
import Simulators
import TestSupport
import Testing

@testable import Sendbird

/// The related channels of a ticket, against the simulated Desk and a scripted Chat.
@Suite struct DeskRelatedTests {
    private static let member = ScriptedStep.respond(200, body: #"{"is_member":true,"state":"joined"}"#)
    private static let stranger = ScriptedStep.respond(200, body: #"{"is_member":false,"state":"none"}"#)

    @Test func `a ticket has the related channels that were set last`() throws {
        try DeskFixture.with(chat: .everyRequest(Self.member)) { desk throws in
            let earlier = try desk.create(title: "Earlier")
            let ticket = try desk.create()
            let channels = [try #require(earlier.channel), "other"]
            let expected = [RelatedChannel(channels[0], name: "Earlier"), RelatedChannel("other")]
            #expect(try desk.tickets.relate(ticket.id, to: channels, owner: "user-1").relatedChannels == expected)
            #expect(try desk.tickets.relate(ticket.id, to: ["x", "x"], owner: nil).relatedChannels.areExactly(["x"]))
            #expect(try desk.tickets.relate(ticket.id, to: [], owner: "user-1").relatedChannels == [])
            #expect(try desk.tickets.ticket(.id(ticket.id)).relatedChannels == [])
            let asked = desk.chat.requests.count
            #expect(try desk.tickets.relate(ticket.id, to: [], owner: "user-1").relatedChannels == [])
            #expect(desk.chat.requests.count == asked, "Chat is not asked about no channels")
        }
    }

    @Test func `a channel that the customer has not joined changes nothing`() throws {
        try DeskFixture.with(chat: .everyRequest(Self.stranger)) { desk throws in
            let ticket = try desk.create()
            for owner in ["user-1", nil] {
                #expect(try failure { try desk.tickets.relate(ticket.id, to: ["foreign"], owner: owner) } == .foreignChannel)
            }
            #expect(desk.chat.requests.map(\.target) == Array(repeating: "/v3/group_channels/foreign/members/user-1", count: 2))
            #expect(try failure { try desk.tickets.relate(ticket.id, to: [".."], owner: "user-1") } == .foreignChannel)
            #expect(try desk.tickets.ticket(.id(ticket.id)).relatedChannels == [])
        }
    }

    @Test func `another customer's ticket is not found, and Chat is not called`() throws {
        try DeskFixture.with(chat: .everyRequest(Self.member)) { desk throws in
            let ticket = try desk.create("user-2")
            for channels in [["own"], []] {
                #expect(try failure { try desk.tickets.relate(ticket.id, to: channels, owner: "user-1") } == .notFound)
            }
            #expect(desk.chat.requests.isEmpty)
        }
    }

    /// Desk may answer 200 without a change, or with a part of it.
    @Test(
        arguments: [
            (#"[{"channel_url":"a","name":"A"}]"#, nil), (#""[\"a\"]""#, nil), (#"["a"]"#, nil), (#"["b"]"#, .refused), ("null", .refused),
            (#"["a","b"]"#, .refused),
        ] as [(String, TicketFailure?)])
    func `a change that Desk has not made fails`(_ related: String, _ expected: TicketFailure?) throws {
        let whole = #"{"id":1,"status2":"ACTIVE","customer":{"sendbirdId":"user-1"},"relatedChannels":\#(related)}"#
        // The ticket before the change, the membership of each channel, the response to the change, and the ticket after it.
        let members = Array(repeating: #"{"is_member":true}"#, count: related.contains(#""b""#) ? 2 : 1)
        let script = ([whole] + members + [#"{"id":1}"#, whole]).map { [ScriptedStep.respond(200, body: $0)] }
        let failed = try failure {
            try DeskHostileTests().with(.requests(script)) { tickets, _ throws in _ = try tickets.relate(1, to: ["a"], owner: "user-1") }
        }
        #expect(failed == expected)
    }

    @Test func `a person sees only channels that the person has joined`() throws {
        try DeskFixture.with(chat: .requests([[Self.stranger], [Self.member], [Self.stranger]])) { desk throws in
            var ticket = Ticket(id: 1)
            ticket.relatedChannels = [RelatedChannel("a"), RelatedChannel("b"), RelatedChannel("."), RelatedChannel("beyond")]
            #expect(try desk.tickets.relatedChannels(of: ticket, joinedBy: "user-1").count == 1)
            #expect(desk.chat.requests.count == 2)
            ticket.relatedChannels = [RelatedChannel("a", name: "A")]
            #expect(try desk.tickets.relatedChannels(of: ticket, joinedBy: "user-1") == [])
        }
        try DeskFixture.with(chat: .everyRequest(.respond(500))) { desk throws in
            var ticket = Ticket(id: 1)
            #expect(try desk.tickets.relatedChannels(of: ticket, joinedBy: "user-1") == [])
            ticket.relatedChannels = [RelatedChannel("a")]
            let away = TicketFailure.unavailable(reason: "status_500")
            #expect(try failure { try desk.tickets.relatedChannels(of: ticket, joinedBy: "user-1") } == away)
        }
    }
}
