import Core
import Simulators
import TestSupport
import Testing

@testable import Sendbird

/// The customer's name in a new ticket, and its update in Chat.
@Suite struct DeskNameTests {
    @Test func `only a given name replaces the one in Chat`() throws {
        try DeskFixture.with { desk throws in
            _ = try desk.create("user 1")
            #expect(desk.chat.requests.isEmpty)
            _ = try desk.create("user 1", name: "Мария")
            #expect(desk.chat.requests.map(\.method) == ["PUT"])
            #expect(desk.chat.requests.map(\.target) == ["/v3/users/user%201"])
            #expect(desk.chat.requests.map(\.text) == [#"{"nickname":"Мария"}"#])
        }
    }

    /// Chat's responses to a name, with the resulting failure.
    private static let names: [(answer: ScriptedStep, failure: TicketFailure)] = [
        (.respond(400, body: #"{"error":true,"code":400201}"#), .unknownPerson), (.respond(404), .unknownPerson),
        (.respond(400, body: #"{"error":true,"code":400111}"#), .refused),
        (.respond(429, headers: ["Retry-After: 3"]), .limited(seconds: 3)),
        (.respond(401), .unauthorized), (.respond(500), .unavailable(reason: "status_500")),
    ]

    @Test(arguments: names.indices) func `no ticket is created if Chat rejects the name`(_ index: Int) throws {
        let (answer, expected) = Self.names[index]
        try DeskFixture.with(chat: .everyRequest(answer)) { desk throws in
            let ticket = try desk.create()
            #expect(try failure { try desk.create(name: "Mary") } == expected)
            #expect(desk.desk.ticket(ticket.id + 1) == nil)
        }
    }

    @Test(arguments: [".", ".."]) func `a person whose id cannot be in an address gets no name`(_ user: String) throws {
        try DeskFixture.with { desk throws in
            #expect(try failure { try desk.create(user, name: "Mary") } == .unknownPerson)
            #expect(desk.chat.requests.isEmpty)
        }
    }

    @Test func `support gets no name`() throws {
        try DeskFixture.with { desk throws in
            #expect(try failure { try desk.create("sendbird_desk_agent_id_1", name: "Mary") } == .unknownPerson)
            #expect(desk.chat.requests.isEmpty)
        }
    }
}
