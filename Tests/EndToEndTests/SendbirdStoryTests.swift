import Crypto
import HTTPServer
import JSON
import Simulators
import TestSupport
import Testing

/// Sendbird, the real program, a phone and a company's backend: messages and answers of people.
@Suite struct SendbirdStoryTests {
    private let site: SendbirdSite

    init() throws {
        site = try SendbirdSite()
    }

    private func pushes(_ count: Int) -> [String] {
        #expect(site.phones.simulators.recorder.wait(for: count, milliseconds: WaitLimit.milliseconds))
        return site.phones.simulators.recorder.pushes.map(\.body)
    }

    @Test func `a message of support reaches the phone and the backend`() throws {
        let server = try RunningServer(site.workspace)
        #expect(try site.register(server) == #"{"status":"registered"}"#)
        let (id, channel) = try site.ticket(server)
        site.chat.post(.system(type: "SYSTEM_MESSAGE_TICKET_ASSIGNED", text: "for support alone"), in: channel)
        site.chat.post(.agent(text: "How can I help?"), in: channel)
        #expect(pushes(1) == ["How can I help?"])
        site.chat.post(.customer(text: "My own words"), in: channel)
        site.chat.post(.file(name: "invoice.pdf", size: 2048), in: channel)
        #expect(pushes(2)[1].contains("invoice.pdf"))
        site.chat.post(.notification(type: "NOTIFICATION_ASSIGNMENT_DELAY", text: "All are busy."), in: channel)
        #expect(pushes(3)[2] == "All are busy.")
        let webhooks = try #require(site.chat.webhooks)
        #expect(webhooks.wait(for: 6, milliseconds: WaitLimit.milliseconds))
        #expect(webhooks.sent.map(\.status) == Array(repeating: 200, count: 6))
        #expect(eventually { (try? site.events("comment.created").count) == 3 })
        let comments = try site.events("comment.created").compactMap { $0["data"] }
        #expect(Set(comments.map { $0["comment"]?["body"]?.text }) == ["How can I help?", "", "All are busy."])
        #expect(comments.allSatisfy { $0["ticket_id"] == .integer(id) && $0["channel"] == .string(channel) })
        let file = comments.compactMap { $0["attachments"]?.elements.first }.first
        #expect(file?["name"] == "invoice.pdf")
        #expect(file?["size"] == 2048)
        let push = try #require(site.phones.simulators.recorder.pushes.first)
        #expect(push.title == "Anna")
        #expect(push.token == PushSite.token)
        #expect(try site.event("ticket.created")["channel"] == .string(channel))
        let ignored = try PushSite.value(of: #"deskgate_webhook_events_total{app="APP-1",result="ignored"}"#, server)
        // A webhook that is answered too late is repeated.
        #expect(ignored ?? 0 >= 3, "support's and the customer's own")
        try site.end(server, hiding: ["How can I help", "for support alone", "invoice.pdf"])
    }

    @Test func `a question is answered by the customer`() throws {
        let server = try RunningServer(site.workspace)
        _ = try site.register(server)
        let (id, channel) = try site.ticket(server)
        let asked = try #require(site.chat.post(.closureInquiry(text: "May we close it?"), in: channel))
        #expect(pushes(1) == ["May we close it?"])
        #expect(try site.event("ticket.closure_requested")["ticket_id"] == .integer(id))
        let answer: JSONObject = ["ticket_id": .integer(id), "message_id": .integer(asked), "confirmed": true]
        let confirmed = try site.call(server, path: "tickets/confirm", members: answer)
        #expect(confirmed.status == 200)
        #expect(confirmed.text.contains(#""state":"CLOSED""#))
        let data = #"{"type":"SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE","body":{"state":"CONFIRMED","ticketId":\#(id)}}"#
        #expect(site.chat.message(asked, in: channel)?["data"] == .string(data))
        #expect(try site.event("ticket.closure_confirmed")["ticket_id"] == .integer(id))
        #expect(try site.event("ticket.closed")["close_status"] == "CLOSED_BY_PLATFORM_API")

        let wanted = try #require(site.chat.post(.satisfactionRequest(text: "How was it?"), in: channel))
        #expect(pushes(2)[1] == "How was it?")
        #expect(try site.event("ticket.rating_requested")["ticket_id"] == .integer(id))
        let rating: JSONObject = ["ticket_id": .integer(id), "message_id": .integer(wanted), "score": 4, "comment": "Fast"]
        let answered = try site.call(server, path: "tickets/rate", members: rating)
        #expect(answered.status == 200)
        #expect(answered.text.contains(#""rating":{"score":4,"comment":"Fast"}"#))
        let rated = try site.event("ticket.rated")
        #expect(rated["score"] == 4)
        #expect(rated["comment"] == "Fast")
        #expect(rated["channel"] == .string(channel))
        let another = try site.call(server, path: "tickets/rate", members: rating.replacing(["score": 1]))
        #expect(another.status == 409)
        #expect(another.text.contains("not_asked"))
        #expect(try site.call(server, path: "tickets/rate", members: rating, user: "customer-2").status == 404)
        #expect(pushes(2).count == 2, "answers are no news for the one who gave them")
        try site.end(server, hiding: ["May we close it", "Fast"])
    }

    /// The vendor's SDK answers by itself, and a declined question is reported as such.
    @Test func `an answer of the vendor's own app is reported`() throws {
        let server = try RunningServer(site.workspace)
        let (id, channel) = try site.ticket(server)
        let asked = try #require(site.chat.post(.closureInquiry(text: "May we close it?"), in: channel))
        #expect(
            site.chat.edit(
                asked, in: channel,
                data: #"{"type":"SENDBIRD_DESK_INQUIRE_TICKET_CLOSURE","body":{"state":"DECLINED","ticketId":\#(id)}}"#))
        #expect(try site.event("ticket.closure_declined")["ticket_id"] == .integer(id))
        try site.end(server)
    }

    @Test func `a customer closes a ticket with a comment for support`() throws {
        let server = try RunningServer(site.workspace)
        let id = try site.ticket(server).id
        let closing: JSONObject = ["ticket_id": .integer(id), "comment": "Has come"]
        #expect(try site.call(server, path: "tickets/close", members: closing, user: "customer-2").status == 404)
        #expect(try site.call(server, path: "tickets/close", members: closing.replacing(["comment": "Has\ncome"])).status == 400)
        #expect(site.sendbird.desk.ticket(id)?["status2"] == "ACTIVE")
        #expect(try site.call(server, path: "tickets/close", members: closing).text.contains(#""state":"CLOSED""#))
        #expect(site.sendbird.desk.ticket(id)?["closeComment"] == "Has come")
        #expect(try site.event("ticket.closed")["ticket_id"] == .integer(id))
        try site.end(server, hiding: ["Has come"])
    }

    @Test func `support sees the name with which a customer opens a ticket`() throws {
        let server = try RunningServer(site.workspace)
        let id = try site.ticket(server).id
        let name = { [site] in site.sendbird.desk.ticket(id)?["customer"]?["displayName"] }
        #expect(name() == .string(SendbirdSite.user))
        let members: JSONObject = ["title": "Order 8", "user_name": "Mary"]
        #expect(try site.call(server, path: "tickets/create", members: members.replacing(["user_name": "Ma\nry"])).status == 400)
        #expect(name() == .string(SendbirdSite.user))
        #expect(try site.call(server, path: "tickets/create", members: members).status == 201)
        #expect(name() == "Mary")
        try site.end(server, hiding: ["Mary"])
    }

    @Test func `a signature is verified by hand`() throws {
        let directory = site.workspace.directory
        try directory.write("empty.json", "{}")
        func verify(_ signature: String) throws -> Deskgate.Result {
            try Deskgate.run(
                "webhook", "verify", "--config", site.workspace.configuration, "--app", SendbirdSite.app, "--body",
                directory.path("empty.json"), "--signature", signature, "--explain")
        }
        func hex(_ code: Span<UInt8>) -> String {
            code.indices.map { String(code[$0] >> 4, radix: 16) + String(code[$0] & 15, radix: 16) }.joined()
        }
        let body = Array("{}".utf8)
        let chat = try HMACKey<SHA256>(secret: site.chat.token.utf8.span).code { message throws(CryptoError) in
            try message.append(body.span)
        }
        let desk = try HMACKey<SHA1>(secret: site.sendbird.desk.token.utf8.span).code { message throws(CryptoError) in
            try message.append(body.span)
        }
        #expect(try verify(hex(chat.span)).output.contains("$.apps[0].sendbird.chat_token"))
        #expect(try verify("sha1=" + hex(desk.span)).output.contains("$.apps[0].sendbird.desk_token"))
        let wrong = try verify(String(repeating: "0", count: 64))
        #expect(wrong.code == 1)
        #expect(!wrong.output.contains(site.chat.token))
    }
}
