import Core
import JSON
import Simulators
import TestSupport
import Testing

@testable import Sendbird

/// Requests to the Desk Platform API, each against the simulator.
@Suite struct DeskTicketsTests {
    private static let order = TicketField(key: "order", value: "7")

    @Test func `creates a ticket and its customer`() throws {
        try DeskFixture.with(chat: .everyRequest(.respond(200, body: #"{"is_member":true}"#))) { desk throws in
            let fields = [Self.order, TicketField(key: "nobody-knows", value: "1")]
            let ticket = try desk.create(group: "cs-team", priority: "HIGH", fields: fields, related: ["channel-1", "channel-2"])
            #expect(ticket.title == "Order 7")
            #expect(ticket.state == .initialized)
            #expect(ticket.priority == .high)
            #expect(ticket.userID == "user-1")
            #expect(ticket.groupKey == "cs-team")
            #expect(ticket.relatedChannels == [RelatedChannel("channel-1"), RelatedChannel("channel-2")])
            #expect(ticket.fields == [Self.order])
            #expect(ticket.fields.missing(of: fields) == ["nobody-knows"])
            #expect(ticket.createdAt != nil)
            #expect(ticket.updatedAt == ticket.createdAt)
            // The customer is not created again.
            #expect(try desk.create().customerID == ticket.customerID)
            #expect(try desk.create("user-2").customerID != ticket.customerID)
        }
    }

    @Test func `sends the first message`() throws {
        try DeskFixture.with { desk throws in
            let draft = try TicketDraft(
                userID: "user 1", title: "T", groupKey: nil, priority: nil, fields: [], relatedChannels: [], message: "Where\nis it?")
            let new = try desk.tickets.create(draft)
            #expect(new.message == .sent)
            let request = desk.chat.requests[0]
            #expect(request.method == "POST")
            #expect(request.target == "/v3/group_channels/\(new.ticket.channel ?? "")/messages")
            #expect(request.text == #"{"message_type":"MESG","user_id":"user 1","message":"Where\nis it?"}"#)
        }
    }

    /// The ticket exists: a client without this information would create another one.
    @Test func `reports a ticket whose message was not sent`() throws {
        try DeskFixture.with(chat: .everyRequest(.respond(500))) { desk throws in
            let draft = try TicketDraft(
                userID: "user-1", title: "T", groupKey: nil, priority: nil, fields: [], relatedChannels: [], message: "Hello")
            let new = try desk.tickets.create(draft)
            #expect(new.message == .failed(.unavailable(reason: "status_500")))
            #expect(try desk.tickets.ticket(.id(new.ticket.id)).title == "T")
        }
    }

    /// Chat's responses about the second of two channels, with the resulting failure.
    private static let memberships: [(answer: ScriptedStep, failure: TicketFailure?)] = [
        (.respond(200, body: #"{"is_member":true,"state":"joined"}"#), nil), (.respond(200, body: #"{"is_member":true}"#), nil),
        (.respond(200, body: #"{"is_member":false,"state":"none"}"#), .foreignChannel),
        (.respond(200, body: #"{"is_member":true,"state":"invited"}"#), .foreignChannel),
        (.respond(200, body: #"{"is_member":1}"#), .foreignChannel), (.respond(200, body: #"{"is_member":"true"}"#), .foreignChannel),
        (.respond(200, body: "{}"), .foreignChannel), (.respond(200, body: "[]"), .foreignChannel), (.respond(200), .foreignChannel),
        (.respond(400, body: #"{"error":true,"code":400201}"#), .foreignChannel), (.respond(404), .foreignChannel),
        (.respond(400, body: #"{"error":true,"code":400111}"#), .foreignChannel),
        (.respond(429, headers: ["Retry-After: 3"]), .limited(seconds: 3)), (.respond(401), .unauthorized),
        (.respond(500), .unavailable(reason: "status_500")), (.respond(200, body: "no JSON"), .unavailable(reason: "malformed_response")),
    ]

    @Test(arguments: memberships.indices) func `a ticket accepts only channels of the person`(_ index: Int) throws {
        let (answer, expected) = Self.memberships[index]
        try DeskFixture.with(chat: .everyRequest(answer)) { desk throws in
            #expect(try failure { try desk.create("user 1", related: ["channel/1"]) } == expected)
            #expect(desk.chat.requests.map(\.target) == ["/v3/group_channels/channel%2F1/members/user%201"])
        }
    }

    @Test func `one foreign channel is enough for a refusal`() throws {
        let (own, foreign) = (
            ScriptedStep.respond(200, body: #"{"is_member":true}"#), ScriptedStep.respond(200, body: #"{"is_member":false}"#)
        )
        try DeskFixture.with(chat: .requests([[own], [foreign], [own]])) { desk throws in
            #expect(try failure { try desk.create(related: ["a", "b", "c"]) } == .foreignChannel)
            #expect(desk.chat.requests.count == 3)
        }
    }

    @Test(arguments: [".", ".."]) func `a channel whose id cannot be in an address is refused`(_ channel: String) throws {
        try DeskFixture.with { desk throws in
            #expect(try failure { try desk.create(related: [channel]) } == .foreignChannel)
            #expect(desk.chat.requests.isEmpty)
        }
    }

    @Test(arguments: ["sendbird_desk_agent_id_1", "SENDBIRD_DESK_AGENT_ID_1", "sendbird_desk_agent_id_"])
    func `creates no ticket for support`(_ user: String) throws {
        try DeskFixture.with { desk throws in #expect(try failure { try desk.create(user) } == .unknownPerson) }
    }

    @Test func `reports Desk's refusals`() throws {
        try DeskFixture.with({ $0.hasUser = { $0 != "stranger" } }) { desk throws in
            #expect(try failure { try desk.create("stranger") } == .unknownPerson)
            #expect(try failure { try desk.create(group: "no-such-group") } == .refused)
        }
    }

    @Test func `finds a ticket`() throws {
        try DeskFixture.with { desk throws in
            let ticket = try desk.create()
            #expect(try desk.tickets.ticket(.id(ticket.id)) == ticket)
            #expect(try desk.tickets.ticket(.channel(try #require(ticket.channel))) == ticket)
            #expect(try failure { try desk.tickets.ticket(.id(9)) } == .notFound)
            #expect(try failure { try desk.tickets.ticket(.channel("no channel")) } == .notFound)
        }
    }

    @Test(arguments: [TicketState.initialized, .pending, .workInProgress, .closed])
    func `closes no ticket in another state`(_ state: TicketState) throws {
        try DeskFixture.with { desk throws in
            let ticket = try desk.create()
            desk.desk.perform(.set(state: state.rawValue), onTicket: ticket.id)
            #expect(try failure { try desk.tickets.close(ticket.id, comment: nil, owner: nil) } == .notClosable(state))
            #expect(try desk.tickets.ticket(.id(ticket.id)).state == state)
        }
    }

    @Test(arguments: [TicketState.active, .idle]) func `an open ticket is closed`(_ state: TicketState) throws {
        try DeskFixture.with { desk throws in
            let ticket = try desk.create()
            desk.desk.perform(.set(state: state.rawValue), onTicket: ticket.id)
            #expect(try desk.tickets.close(ticket.id, comment: "done", owner: "user-1").state == .closed)
        }
    }

    @Test func `a closed ticket is reopened`() throws {
        try DeskFixture.with { desk throws in
            let ticket = try desk.activeTicket()
            #expect(try failure { try desk.tickets.reopen(ticket.id, owner: nil) } == .notClosed(.active))
            _ = try desk.tickets.close(ticket.id, comment: nil, owner: nil)
            #expect(try desk.tickets.reopen(ticket.id, owner: nil).state == .active)
        }
    }

    @Test(arguments: [404, 405]) func `reports that reopening is not supported`(_ status: Int) throws {
        try DeskFixture.with({ $0.reopenRefusal = status }) { desk throws in
            let ticket = try desk.activeTicket()
            _ = try desk.tickets.close(ticket.id, comment: nil, owner: nil)
            #expect(try failure { try desk.tickets.reopen(ticket.id, owner: nil) } == .unsupported)
            #expect(try failure { try desk.tickets.reopen(9, owner: nil) } == .notFound)
        }
    }

    @Test func `changes the priority`() throws {
        try DeskFixture.with { desk throws in
            let ticket = try desk.create()
            #expect(try desk.tickets.prioritize(ticket.id, .urgent).priority == .urgent)
            #expect(try failure { try desk.tickets.prioritize(9, .low) } == .notFound)
        }
    }

    @Test func `sets fields and returns the dropped ones`() throws {
        try DeskFixture.with { desk throws in
            let ticket = try desk.create(fields: [TicketField(key: "language", value: "ru")])
            let wanted = [Self.order, TicketField(key: "no", value: "x"), TicketField(key: "language", value: "")]
            let fields = try desk.tickets.setFields(wanted, ofTicket: ticket.id, owner: nil)
            #expect(fields == [Self.order])
            #expect(fields.missing(of: wanted) == ["no"])
            let plan = [TicketField(key: "plan", value: "gold"), Self.order]
            let own = try desk.tickets.setFields(plan, ofCustomer: "user-1")
            #expect(own == [plan[0]])
            #expect(own.missing(of: plan) == ["order"])
            #expect(try failure { try desk.tickets.setFields(plan, ofCustomer: "stranger") } == .unknownPerson)
            #expect(try failure { try desk.tickets.setFields(plan, ofTicket: 9, owner: nil) } == .notFound)
        }
    }

    @Test func `a customer's fields can be set before the first ticket`() throws {
        try DeskFixture.with({ $0.hasUser = { $0 != "stranger" } }) { desk throws in
            let plan = TicketField(key: "plan", value: "gold")
            #expect(try desk.tickets.setOwnFields([plan], of: "user-1") == [plan])
            #expect(try desk.tickets.setOwnFields([TicketField(key: "city", value: "Rome")], of: "user-1").count == 2)
            for nobody in ["stranger", "sendbird_desk_agent_id_1", "SENDBIRD_DESK_AGENT_ID_1"] {
                #expect(try failure { try desk.tickets.setOwnFields([plan], of: nobody) } == .unknownPerson)
            }
        }
    }

    /// Another customer's ticket is reported as missing for every request.
    @Test func `hides other customers' tickets`() throws {
        try DeskFixture.with { desk throws in
            let ticket = try desk.activeTicket(of: "user-2")
            #expect(try failure { try desk.tickets.close(ticket.id, comment: nil, owner: "user-1") } == .notFound)
            #expect(try failure { try desk.tickets.reopen(ticket.id, owner: "user-1") } == .notFound)
            #expect(try failure { try desk.tickets.setFields([Self.order], ofTicket: ticket.id, owner: "user-1") } == .notFound)
            #expect(try failure { try desk.tickets.ticket(ticket.id, owner: "user-1") } == .notFound)
            let answer = CustomerAnswer.closure(isConfirmed: true)
            #expect(try failure { try desk.tickets.answer(answer, messageID: 1, ticket: ticket.id, owner: "user-1") } == .notFound)
            #expect(desk.chat.requests.isEmpty)
            #expect(try desk.tickets.ticket(.id(ticket.id)).state == .active)
            #expect(try desk.tickets.ticket(.id(ticket.id)).fields.isEmpty)
        }
    }

    @Test func `reports a rejected token`() throws {
        try DeskFixture.with(token: "another-token-than-desk-knows") { desk throws in
            #expect(try failure { try desk.tickets.count(of: nil) } == .unauthorized)
        }
    }

    @Test func `passes rate limits on`() throws {
        try DeskFixture.with { desk throws in
            desk.faults.add(
                Fault(.answer(.init(429, "desk429100", retryAfter: "7")), at: .sendbirdDesk, token: "view_ticket", times: 1))
            #expect(try failure { try desk.tickets.ticket(.id(1)) } == .limited(seconds: 7))
            // The client holds the call back: Desk is not called again so soon.
            #expect(try failure { try desk.tickets.ticket(.id(1)) } == .limited(seconds: 7))
            #expect(desk.faults.remaining == 0)
        }
    }

    @Test(arguments: [500, 502, 503]) func `reports Desk's failures`(_ status: Int) throws {
        try DeskFixture.with { desk throws in
            desk.faults.add(Fault(.answer(.init(status)), at: .sendbirdDesk, times: nil))
            #expect(try failure { try desk.tickets.ticket(.id(1)) } == .unavailable(reason: "status_\(status)"))
        }
    }

    @Test func `finds the ticket of a webhook's channel`() throws {
        try DeskFixture.with { desk throws in
            let ticket = try desk.create()
            #expect(try Self.find(try #require(ticket.channel), desk) == .success(ticket))
            #expect(try Self.find("no channel", desk) == .success(nil))
        }
    }

    private static func find(_ channel: String, _ desk: DeskFixture) throws -> Result<Ticket?, PlatformError> {
        let found = ResultBox<Result<Ticket?, PlatformError>>()
        desk.tickets.client.ticket(ofChannel: channel) { found.put($0) }
        return try found.take()
    }
}
