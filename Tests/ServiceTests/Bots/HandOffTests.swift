import Core
import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

@testable import Bots
@testable import Configuration
@testable import Service

/// A bot hands a conversation off to a person, over real sockets against the simulated Sendbird.
@Suite struct HandOffTests {
    private static let message = "user-1: Summary of the bot, unchecked: Where is order 7?"
    private static let unconfirmed = #"{"confirm":"none"}"#

    @Test func `a customer without an open ticket gets one`() throws {
        let site = try HandOffSite()
        try site.withService { service in
            let confirmation = try service.askForPerson(ticket: service.ticket())
            #expect(site.allMessages().isEmpty)
            let answer = try service.confirm(confirmation)
            #expect(answer.status == 200)
            #expect(answer.json["status_code"] == 200)
            #expect(answer.json["endpoint"]?.text?.hasSuffix("/bots/orders/functions/connect_to_person") == true)
            let response = try #require(answer.json["response"])
            #expect(response["status"] == "connected")
            #expect(response["new"] == true)
            let id = try #require(response["ticket_id"]?.integer)
            #expect(response["channel"] == .string("sendbird_desk_\(id)"))
            #expect(site.messages(in: "sendbird_desk_\(id)") == [Self.message])
            #expect(site.desk.ticket(id)?["status2"] == "PENDING")
            #expect(site.desk.ticket(id)?["channelName"] == "Handed over by the bot")
            #expect(site.desk.ticket(id)?["customer"]?["sendbirdId"] == "user-1")
        }
    }

    @Test func `the newest open ticket of the customer gets the message`() throws {
        let site = try HandOffSite(#"{"title":"From the bot","message":"The bot says:\n{summary}"}"#)
        try site.withService { service in
            _ = try site.activeTicket(service, of: "user-2")
            let closed = try site.activeTicket(service)
            let older = try site.activeTicket(service)
            let newer = try site.activeTicket(service)
            #expect(site.desk.perform(.close, onTicket: closed))
            #expect(site.desk.perform(.set(state: "IDLE"), onTicket: older))
            #expect(site.desk.perform(.set(state: "WORK_IN_PROGRESS"), onTicket: newer))
            let response = try service.confirm(service.askForPerson(ticket: service.ticket())).json["response"]
            let id = try #require(response?["ticket_id"]?.integer)
            #expect(response?["new"] == false)
            #expect(id == newer)
            #expect(site.messages(in: "sendbird_desk_\(id)") == ["user-1: Hello", "user-1: The bot says:\nWhere is order 7?"])
        }
    }

    @Test func `a start hands off once, for any number of calls and any summary`() throws {
        let site = try HandOffSite(Self.unconfirmed)
        try site.withService { service in
            let ticket = try service.ticket()
            let first = try service.call("connect_to_person", HandOffSite.summary, ticket: ticket)
            #expect(first.status == 200)
            #expect(first.json["status"] == "connected")
            let again = try service.call("connect_to_person", ["summary": "Another one"], ticket: ticket)
            #expect(again.status == 200)
            #expect(again.text == first.text)
            #expect(site.allMessages() == [Self.message])
            // Another start writes into the same ticket.
            let next = try service.call("connect_to_person", HandOffSite.summary, ticket: service.ticket())
            #expect(next.json["new"] == false)
            #expect(next.json["ticket_id"] == first.json["ticket_id"])
            #expect(site.allMessages() == [Self.message, Self.message])
        }
    }

    @Test func `two confirmations of one start make one hand-off`() throws {
        let site = try HandOffSite()
        try site.withService { service in
            let ticket = try service.ticket()
            let confirmations = [
                try service.askForPerson(ticket: ticket), try service.askForPerson(ticket: ticket, ["summary": "Another one"]),
            ]
            #expect(confirmations[0] != confirmations[1])
            let answers = try confirmations.map { try service.confirm($0) }
            #expect(answers.map(\.status) == [200, 200])
            #expect(answers[0].text == answers[1].text)
            // A call that will not be sent asks for no confirmation.
            let third = try service.call("connect_to_person", ["summary": "A third one"], ticket: ticket)
            #expect(third.status == 200)
            #expect(third.json == answers[0].json["response"])
            #expect(site.allMessages() == [Self.message])
        }
    }

    @Test(
        arguments: [#"{"type":"sqlite","path":"store.sqlite"}"#, #"{"type":"postgres","url":{"env":"DATABASE_URL"}}"#])
    func `after a restart a start still hands off once, also without confirmations`(_ store: String) throws {
        let place = store.contains("postgres") ? try PostgresSchemaFixture() : nil
        defer { withExtendedLifetime(place) {} }
        let site = try HandOffSite(store: store)
        site.directory.environment["DATABASE_URL"] = place?.url()
        let (ticket, second) = try site.withService { service in
            let ticket = try service.ticket()
            let confirmations = [
                try service.askForPerson(ticket: ticket), try service.askForPerson(ticket: ticket, ["summary": "Another one"]),
            ]
            #expect(try service.confirm(confirmations[0]).status == 200)
            return (ticket, confirmations[1])
        }
        try site.withService { service in
            let answer = try service.confirm(second)
            #expect(answer.status == 409)
            #expect(answer.error == "already_called")
            #expect(answer.json["outcome"] == "succeeded")
            #expect(answer.json["message"] == "connect_to_person was called before, and was done. Do not call it again.")
        }
        try site.withService(Self.unconfirmed) { service throws in
            #expect(try service.call("connect_to_person", HandOffSite.summary, ticket: ticket).error == "already_called")
        }
        #expect(site.allMessages() == [Self.message])
    }

    @Test func `a stolen ticket cannot hand off without the customer's key`() throws {
        let site = try HandOffSite()
        try site.withService { service in
            let ticket = try service.ticket()
            let confirmation = try service.askForPerson(ticket: ticket)
            let attempts = [
                try service.call("connect_to_person", ["summary": "s", "confirmation": .string(confirmation)], ticket: ticket),
                try service.callNeutrally("connect_to_person", ["summary": "s"], ticket: ticket, confirmation: confirmation),
                try service.confirm(confirmation, user: "user-2"),
                try service.confirm(confirmation, key: TestKey(user: "user-2").text()),
            ]
            #expect(attempts.map(\.status) == [400, 400, 403, 403])
            #expect(try service.get("connect_to_person", "?summary=s", ticket: ticket).status == 405)
            #expect(site.allMessages().isEmpty)
        }
    }

    @Test func `a hostile summary is one line after the configured text and selects nothing`() throws {
        let site = try HandOffSite(Self.unconfirmed)
        try site.withService { service in
            for name in ["title", "ticket_id", "user_id", "priority"] {
                let answer = try service.call("connect_to_person", ["summary": "s", name: "user-2"], ticket: service.ticket())
                #expect(answer.status == 400, "\(name)")
            }
            let summary = "Refund\r\n\r\nAgent Anna: pay \u{202e}500 EUR\u{1} JSON^{\"options\":[\"Yes\"]}^NSOJ https://evil.example/"
            #expect(try service.call("connect_to_person", ["summary": .string(summary)], ticket: service.ticket()).status == 200)
            #expect(
                site.allMessages() == [
                    "user-1: Summary of the bot, unchecked: Refund Agent Anna: pay 500 EUR JSON^{\"options\":[\"Yes\"]}^NSOJ "
                        + "https://evil.example/"
                ])
            let blank = try service.call("connect_to_person", ["summary": "\n\n"], ticket: service.ticket())
            #expect(blank.status == 400)
            #expect(blank.error == "invalid_arguments")
            // The summary is neither in the log nor in the metrics nor in the store.
            let shown = try site.log.text() + service.metricLines("").joined() + service.storedCalls().map { "\($0)" }.joined()
            #expect(!shown.contains("Refund"))
            #expect(!shown.contains("evil.example"))
        }
    }

    @Test func `the model and the customer see the available functions and the confirmation`() throws {
        let site = try HandOffSite()
        try site.withService { service in
            let start = try service.startBot().json
            let names = start["tools"]?.elements.map { $0["function"]?["name"]?.text }
            #expect(names == ["cancel_order", "connect_to_person"])
            #expect(start["ai_attrs"]?.text?.contains("/functions/connect_to_person") == true)
            _ = try service.confirm(service.askForPerson(ticket: service.ticket()))
            #expect(
                try service.metricLines("deskgate_bot_calls_total") == [
                    #"{bot="orders",function="connect_to_person",outcome="confirmation_required"} 1"#,
                    #"{bot="orders",function="connect_to_person",outcome="succeeded"} 1"#,
                ])
            let stored = try #require(try service.storedCalls().first { $0.outcome == .succeeded })
            #expect(stored.function == "connect_to_person")
            #expect(stored.statusCode == 200)
            #expect(stored.arguments == nil)
        }
    }
}
