import Core
import JSON
import Simulators
import TestSupport
import Testing

@testable import Sendbird

/// The channels that a ticket is about, against the simulated Desk and a Chat that does as its script says.
@Suite struct DeskRelatedTests {
    private static let member = ScriptedStep.respond(200, body: #"{"is_member":true,"state":"joined"}"#)
    private static let stranger = ScriptedStep.respond(200, body: #"{"is_member":false,"state":"none"}"#)

    @Test func `a ticket is about the channels that were set last`() throws {
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

    @Test func `another's ticket is not there, and Chat is not asked`() throws {
        try DeskFixture.with(chat: .everyRequest(Self.member)) { desk throws in
            let ticket = try desk.create("user-2")
            for channels in [["own"], []] {
                #expect(try failure { try desk.tickets.relate(ticket.id, to: channels, owner: "user-1") } == .notFound)
            }
            #expect(desk.chat.requests.isEmpty)
        }
    }

    /// Desk says 200 also where it has changed nothing, and may answer in part.
    @Test(
        arguments: [
            (#"[{"channel_url":"a","name":"A"}]"#, nil), (#""[\"a\"]""#, nil), (#"["a"]"#, nil), (#"["b"]"#, .refused), ("null", .refused),
            (#"["a","b"]"#, .refused),
        ] as [(String, TicketFailure?)])
    func `a change that Desk has not made is none`(_ related: String, _ expected: TicketFailure?) throws {
        let whole = #"{"id":1,"status2":"ACTIVE","customer":{"sendbirdId":"user-1"},"relatedChannels":\#(related)}"#
        // The ticket before the change, the membership of each channel, the answer to the change, and the ticket after it.
        let members = Array(repeating: #"{"is_member":true}"#, count: related.contains(#""b""#) ? 2 : 1)
        let script = ([whole] + members + [#"{"id":1}"#, whole]).map { [ScriptedStep.respond(200, body: $0)] }
        let failed = try failure {
            try DeskHostileTests().with(.requests(script)) { tickets, _ throws in _ = try tickets.relate(1, to: ["a"], owner: "user-1") }
        }
        #expect(failed == expected)
    }

    @Test func `a person learns only of channels that the person has joined`() throws {
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
