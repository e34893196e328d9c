import Core
import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Service

/// Hand-offs while the help desk refuses, is unavailable, or hangs.
@Suite struct HandOffFailureTests {
    private static let unconfirmed = #"{"confirm":"none"}"#

    private func ask(_ service: RunningService, _ ticket: String) throws -> ReceivedResponse {
        try service.call("connect_to_person", HandOffSite.summary, ticket: ticket)
    }

    @Test func `a refusal of the help desk is reported to the model, and the call may be repeated`() throws {
        let site = try HandOffSite(Self.unconfirmed)
        try site.withService { service in
            site.faults.add(Fault(.answer(.init(429)), at: .sendbirdChat))
            let ticket = try service.ticket()
            let refused = try ask(service, ticket)
            #expect(refused.status == 429)
            #expect(refused.error == "too_many_requests")
            #expect(refused.json["message"]?.text?.hasSuffix("Nothing was changed; inform the customer.") == true)
            let stored = try #require(try service.storedCalls().last)
            #expect(stored.outcome == .refused)
            #expect(stored.statusCode == 429)
            #expect(stored.key == nil)
            #expect(site.allMessages().isEmpty)
        }
    }

    @Test func `a user unknown to Chat is no customer`() throws {
        let site = try HandOffSite(Self.unconfirmed)
        try site.withService { service in
            for user in ["user-9", "sendbird_desk_agent_id_1"] {
                let answer = try ask(service, service.ticket(user: user))
                #expect(answer.status == 404)
                #expect(answer.error == "unknown_user")
            }
        }
    }

    /// The ticket of the first attempt is invisible to support, and the second attempt uses it.
    @Test(arguments: [true, false]) func `a message that was not sent leaves no second ticket`(_ isConfirmed: Bool) throws {
        let site = try HandOffSite(isConfirmed ? "{}" : Self.unconfirmed)
        try site.withService { service in
            let ticket = try service.ticket()
            let confirmation = isConfirmed ? try service.askForPerson(ticket: ticket) : nil
            let ask = { try confirmation.map { try service.confirm($0) } ?? self.ask(service, ticket) }
            site.faults.add(Fault(.answer(.init(403)), at: .sendbirdChat, times: 1))
            let refused = try ask()
            #expect(refused.status == 502)
            #expect(refused.json["outcome"] == "not_done")
            #expect(try service.storedCalls().first { $0.outcome == .failed }?.reason == "help_desk_token")
            let answer = try ask()
            #expect(answer.status == 200)
            let response = answer.json["response"] ?? answer.json
            #expect(response["ticket_id"] == 102)
            #expect(response["new"] == true)
            #expect(site.allMessages().count == 1)
        }
    }

    @Test func `a message that may have been sent is not repeated`() throws {
        let site = try HandOffSite(Self.unconfirmed)
        try site.withService { service in
            site.faults.add(Fault(.answer(.init(500)), at: .sendbirdChat, times: nil))
            let ticket = try service.ticket()
            for _ in 0..<2 {
                let answer = try ask(service, ticket)
                #expect(answer.status == 502)
                #expect(answer.error == "bad_gateway")
                #expect(answer.json["outcome"] == "unknown")
            }
            let stored = try service.storedCalls()
            #expect(stored.map(\.outcome) == [.failed])
            #expect(stored.map(\.reason) == ["help_desk_unavailable"])
            #expect(stored.first?.key != nil)
        }
    }

    @Test func `an unavailable Desk is called again`() throws {
        let site = try HandOffSite(Self.unconfirmed)
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let ticket = try site.withService(url: "http://127.0.0.1:\(closed.port)") { service in
            let ticket = try service.ticket()
            for _ in 0..<2 {
                let answer = try ask(service, ticket)
                #expect(answer.status == 502)
                #expect(answer.json["outcome"] == "not_done")
            }
            #expect(try service.storedCalls().map(\.key) == [nil, nil])
            return ticket
        }
        try site.withService { service throws in
            #expect(try ask(service, ticket).status == 200)
        }
    }

    /// One call of a person waits for Desk, that person's other calls wait or are rejected, and no other chat is delayed.
    @Test func `a Desk that hangs uses only the share of its callers`() throws {
        let site = try HandOffSite(Self.unconfirmed)
        let stuck = try ScriptedServer(.everyConnection(.readRequest, .hang))
        defer { stuck.stop() }
        try site.withService(url: stuck.url("")) { service in
            // The service waits for its calls when it stops.
            defer { stuck.stop() }
            let waiting = try (0..<8).map { _ in
                try service.beginCall("connect_to_person", HandOffSite.summary, ticket: service.ticket())
            }
            let refused = #"{bot="orders",function="connect_to_person",outcome="unavailable"} 3"#
            #expect(eventually { (try? service.metricLines("deskgate_bot_calls_total").contains(refused)) == true })
            // The five states of one person's tickets.
            #expect(stuck.waitForRequests(5))
            #expect(stuck.requests.count == 5)
            let another = try service.beginCall("connect_to_person", HandOffSite.summary, ticket: service.ticket(user: "user-2"))
            #expect(stuck.waitForRequests(10))
            #expect(try service.startBot(user: "user-2").status == 200)
            withExtendedLifetime((waiting, another)) {}
        }
    }

    @Test func `a stop ends a running hand-off`() throws {
        let site = try HandOffSite(Self.unconfirmed, store: #"{"type":"sqlite","path":"store.sqlite"}"#)
        let stuck = try ScriptedServer(.everyConnection(.readRequest, .hang))
        defer { stuck.stop() }
        let client = try site.withService(url: stuck.url("")) { service in
            let client = try service.beginCall("connect_to_person", HandOffSite.summary, ticket: service.ticket())
            #expect(stuck.waitForRequests(5))
            return client
        }
        #expect(try client.readResponse().status == 503)
        let store = try site.configuration().store.open(devicesPerUser: 10)
        defer { store.close() }
        let calls = try store.botCalls(BotCallFilter(), after: nil, limit: 10).calls
        #expect(calls.map(\.outcome) == [.failed])
        #expect(calls.map(\.reason) == ["stopped"])
        #expect(calls.map(\.key) == [nil])
    }

    @Test func `a user who was signed out while waiting is not handed off`() throws {
        let site = try HandOffSite(Self.unconfirmed)
        let stuck = try ScriptedServer(.everyConnection(.readRequest, .hang))
        defer { stuck.stop() }
        try site.withService(url: stuck.url("")) { service in
            let first = try service.beginCall("connect_to_person", HandOffSite.summary, ticket: service.ticket())
            #expect(stuck.waitForRequests(5))
            let second = try service.beginCall("connect_to_person", HandOffSite.summary, ticket: service.ticket())
            #expect(eventually { (try? service.storedCalls().count) == 2 })
            let signOut = Revocation.sample(1, appID: "shop", .user("user-1"), issuedBefore: Revocation.bound(after: TestTime.now))
            try service.graph.store.revoke(signOut, announcing: nil)
            service.graph.revocations.take(.added(signOut))
            stuck.stop()
            #expect(try first.readResponse().status == 502)
            #expect(try second.readResponse().status == 403)
            #expect(stuck.requests.count == 5)
        }
    }
}
