import Core
import Crypto
import HTTPServer
import JSON
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Service

/// Extracts quick replies from the text of a company's own model, for a caller with a ticket.
@Suite struct BotReplyTests {
    private static let block = #"JSON^{"options":["Yes","No"]}^NSOJ"#

    private func reply(
        _ text: JSONValue, ticket: String?, bot: String = "orders", _ service: RunningService
    ) throws -> ReceivedResponse {
        try service.begin("/bots/\(bot)/reply", ["ticket": ticket.map { .string($0) } ?? .null, "text": text]).readResponse()
    }

    @Test func `a text is returned without its quick replies`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyConnection(.hang)) { service, backend in
            let ticket = try service.ticket()
            let answer = try reply(.string("Shall I? \(Self.block) JSON^no"), ticket: ticket, service)
            #expect(answer.status == 200)
            #expect(answer.json == ["text": "Shall I? JSON^no", "options": ["Yes", "No"]])
            #expect(answer.headers["cache-control"] == "no-store")
            #expect(try reply("Hello", ticket: ticket, service).json == ["text": "Hello", "options": []])
            #expect(
                try service.metricLines("deskgate_bot_quick_replies_total").sorted() == [
                    #"{bot="orders",result="broken"} 1"#, #"{bot="orders",result="cut"} 1"#,
                ])
            #expect(backend.requests.isEmpty)
            #expect(try service.storedCalls().isEmpty)
            #expect(!(try fixture.log.text()).contains("Shall"))
        }
    }

    @Test func `a ticket is checked like that of a call`() throws {
        let fixture = try BotFixture()
        let backend = try ScriptedServer(.everyConnection(.hang))
        defer { backend.stop() }
        try fixture.withService([BotFixture.bot(backend.url("")), BotFixture.bot(backend.url(""), name: "others")]) { service in
            let ticket = try service.ticket()
            let foreign = try service.ticket("others")
            for text in [nil, "", "nothing", "dgbt1.AAAA", ticket + "=", foreign, String(repeating: "A", count: 5000)] {
                let answer = try reply(.string(Self.block), ticket: text, service)
                let call = try service.callNeutrally("get_order_list", [:], ticket: text ?? "")
                #expect(answer.status == call.status, "\(text ?? "none")")
                #expect(answer.text == call.text, "\(text ?? "none")")
            }
            #expect(try reply("a", ticket: ticket, bot: "unknown", service).error == "not_found")
            #expect(try service.begin("GET /bots/orders/reply").readResponse().status == 405)
            #expect(try service.operate("/v1/users/sign-out").status == 200)
            #expect(try reply("a", ticket: ticket, service).status == 403)
            fixture.pass(milliseconds: 600_000)
            #expect(try reply("a", ticket: ticket, service).status == 401)
            #expect(try service.metricLines("deskgate_bot_quick_replies_total").isEmpty)
        }
    }

    @Test func `a text has at most 64 KiB`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyConnection(.hang)) { service, _ in
            let ticket = try service.ticket()
            let longest = String(repeating: "é", count: ReplyRoute.longestText / 2)
            #expect(try reply(.string(longest), ticket: ticket, service).json["text"]?.text == longest)
            let longer = try reply(.string(longest + "x"), ticket: ticket, service)
            #expect(longer.status == 400)
            #expect(longer.json["message"]?.text == "text must have at most 65536 bytes.")
            #expect(try reply(.string(longest + longest), ticket: ticket, service).status == 413)
        }
    }

    @Test func `a body without a text is malformed`() throws {
        let texts = [
            #"{"text":"#, #"{"text":"\ud800"}"#, "[]", "{}", #"{"text":null}"#, #"{"text":7}"#, #"{"text":"a","text":"b"}"#, "",
        ]
        let notUTF8: [UInt8] = Array(#"{"text":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        let fixture = try BotFixture()
        try fixture.withBot(.everyConnection(.hang)) { service, _ in
            for body in texts.map({ Array($0.utf8) }) + [notUTF8] {
                let answer = try service.begin("POST /bots/orders/reply", body, headers: "Content-Type: application/json\r\n")
                    .readResponse()
                #expect(answer.status == 400, "\(body)")
                #expect(answer.error == "malformed", "\(body)")
            }
            let half = Array(#"{"text":"\ud800"}"#.utf8)
            let answer = try service.begin("POST /bots/orders/reply", half, headers: "Content-Type: application/json\r\n").readResponse()
            #expect(answer.json["message"]?.text?.contains("65536") == false)
        }
    }

    /// The maximum number of blocks in a text; in quadratic time the connection would time out.
    @Test(arguments: ["JSON^", "JSON^^NSOJ", "JSON^{\"options\":[\"", #"JSON^{"option":"a"}^NSOJ"#])
    func `a text full of blocks is processed`(_ part: String) throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyConnection(.hang)) { service, _ in
            let text = String(repeating: part, count: ReplyRoute.longestText / part.utf8.count)
            let answer = try reply(.string(text), ticket: try service.ticket(), service)
            #expect(answer.status == 200)
            let isCut = part.hasSuffix("}^NSOJ")
            #expect(answer.json["text"]?.text == (isCut ? "" : text))
            #expect(answer.json["options"] == (isCut ? ["a"] : []))
        }
    }

    @Test func `a body is not read after rejected calls have sent too much`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, _ in
            let ticket = try service.ticket()
            let wrong = JSONValue.string(String(repeating: "x", count: 60_000))
            for _ in 0...RefusalSampler.bytesPerMinute / 60_000 {
                #expect(try service.call("get_order_list", ["wrong": wrong], ticket: ticket).status >= 400)
            }
            let answer = try reply(.string(Self.block), ticket: ticket, service)
            #expect(answer.status == 429)
            #expect(answer.headers["retry-after"] != nil)
            #expect(try reply("a", ticket: try service.ticket(user: "user-2"), service).status == 200)
        }
    }
}
