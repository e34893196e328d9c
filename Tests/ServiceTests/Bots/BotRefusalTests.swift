import Core
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import Bots
@testable import Service

/// The cost of rejected and repeated calls: bytes read and rows stored.
@Suite struct BotRefusalTests {
    private static let person = CallWindows.Person(appID: "shop", userID: "user-1")

    /// A JSON object of `count` bytes whose name matches no function.
    private static func wrong(_ count: Int) -> [UInt8] {
        let (start, end) = (Array(#"{"wrong":""#.utf8), Array(#""}"#.utf8))
        return start + [UInt8](repeating: UInt8(ascii: "x"), count: count - start.count - end.count) + end
    }

    private func post(
        _ function: String, body: [UInt8], type: String = "application/json", ticket: String, service: RunningService
    ) throws -> ReceivedResponse {
        try service.begin(
            "POST /bots/orders/functions/\(function)", body,
            headers: "Authorization: Bearer \(ticket)\r\nContent-Type: \(type)\r\n"
        ).readResponse()
    }

    /// Uses up a person's limit for a minute, in calls of the maximum length.
    private func spend(_ ticket: String, _ service: RunningService) throws {
        let body = Self.wrong(ReceivedArguments.longest)
        for _ in 0..<RefusalSampler.bytesPerMinute / body.count {
            #expect(try post("get_order_list", body: body, ticket: ticket, service: service).status == 400)
        }
    }

    /// Each form of a call, and the response if its arguments are read.
    @Test func `arguments are not read after a person has sent too much`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket()
            let form = "application/x-www-form-urlencoded"
            let calls: [(name: String, status: Int, call: () throws -> ReceivedResponse)] = [
                ("right", 200, { try service.call("get_order_list", ["most": 5], ticket: ticket) }),
                ("right, by GET", 200, { try service.get("get_order_list", "?most=5", ticket: ticket) }),
                ("right, with another ticket", 200, { try service.get("get_order_list", ticket: try service.ticket()) }),
                ("right, in the neutral form", 200, { try service.callNeutrally("get_order_list", [:], ticket: ticket) }),
                ("of a change", 200, { try service.call("reorder", ["order_id": "7"], ticket: ticket) }),
                ("to confirm", 409, { try service.call("cancel_order", ["order_id": "7"], ticket: ticket) }),
                ("wrong", 400, { try service.call("get_order_list", ["most": 51], ticket: ticket) }),
                ("wrong, by GET", 400, { try service.get("get_order_list", "?most=51", ticket: ticket) }),
                (
                    "wrong, in a form", 400,
                    { try post("get_order_list", body: Array("most=51".utf8), type: form, ticket: ticket, service: service) }
                ),
                ("no JSON", 400, { try post("get_order_list", body: Array("{".utf8), ticket: ticket, service: service) }),
                ("not UTF-8", 400, { try post("get_order_list", body: [0xFF], ticket: ticket, service: service) }),
                ("wrong, in the neutral form", 400, { try service.callNeutrally("get_order_list", "{", ticket: ticket) }),
            ]
            for (name, status, call) in calls { #expect(try call().status == status, "\(name)") }
            let asked = backend.requests.count
            try spend(ticket, service)
            for (name, _, call) in calls {
                let response = try call()
                #expect((response.status, response.error) == (429, "too_many_requests"), "\(name)")
                #expect(response.headers["retry-after"] == "60", "\(name)")
            }
            #expect(backend.requests.count == asked)
            // Other people are not affected, and the limit ends after a minute.
            #expect(try service.get("get_order_list", ticket: try service.ticket(user: "user-2")).status == 200)
            fixture.pass(milliseconds: 59_999)
            #expect(try service.get("get_order_list", ticket: ticket).status == 429)
            fixture.pass(milliseconds: 1)
            #expect(try service.get("get_order_list", ticket: ticket).status == 200)
        }
    }

    /// A confirmation has the person's security key; a hostile model must not prevent it.
    @Test func `a confirmation is accepted beyond the limit`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, _ in
            let ticket = try service.ticket()
            let asked = try service.call("cancel_order", ["order_id": "7"], ticket: ticket)
            let confirmation = try #require(asked.json["confirmation"]?.text)
            try spend(ticket, service)
            #expect(try service.call("cancel_order", ["order_id": "7"], ticket: ticket).status == 429)
            #expect(try service.confirm(confirmation).status == 200)
        }
    }

    @Test func `repeated calls are counted`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket()
            let long: JSONValue = ["order_id": "7", "notes": ["a": .string(String(repeating: "x", count: 15 << 10))]]
            let count = RefusalSampler.bytesPerMinute / (15 << 10) + 1
            for _ in 0..<count { #expect(try service.call("reorder", long, ticket: ticket).status == 200) }
            #expect(backend.requests.count == 1)
            #expect(try service.get("get_order_list", ticket: ticket).status == 429)
        }
    }

    @Test(
        arguments: [
            ("below the bound", [0], RefusalSampler.bytesPerMinute - 1, 0, nil), ("at once", [0], RefusalSampler.bytesPerMinute, 0, 60),
            ("in parts", [0, 30_000], RefusalSampler.bytesPerMinute / 2, 30_000, 30),
            ("rounded up", [0], RefusalSampler.bytesPerMinute, 59_001, 1),
            ("at the end of the minute", [0], RefusalSampler.bytesPerMinute, 60_000, nil),
            ("in two minutes", [0, 60_000], RefusalSampler.bytesPerMinute / 2, 60_000, nil),
            ("before the clock was set back", [90_000], RefusalSampler.bytesPerMinute, 0, nil), ("nothing", [0], 0, 0, nil),
        ] as [(String, [UInt64], Int, UInt64, UInt64?)])
    func `a refusal contains the seconds to wait`(_ name: String, calls: [UInt64], bytes: Int, now: UInt64, expected: UInt64?) {
        var book = RefusalSampler()
        let start: UnixMilliseconds = 1_000_000
        for call in calls { book.count(bytes, of: Self.person, now: start + call) }
        #expect(book.secondsToWait(Self.person, now: start + now) == expected, "\(name)")
        #expect(book.secondsToWait(CallWindows.Person(appID: "shop", userID: "user-2"), now: start + now) == nil)
        #expect(book.secondsToWait(CallWindows.Person(appID: "bank", userID: "user-1"), now: start + now) == nil)
    }

    /// The bytes of a reason, and whether its arguments are stored with a call that waits for confirmation.
    @Test(arguments: [(0, true), (100, true), (1900, true), (2048, false), (15_000, false)])
    func `long arguments are stored as a digest`(_ count: Int, _ isStored: Bool) throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}")), records: true) { service, _ in
            let reason = JSONValue.string(String(repeating: "x", count: count))
            #expect(try service.call("cancel_order", ["order_id": "7", "reason": reason], ticket: try service.ticket()).status == 409)
            let stored = try #require(try service.storedCalls().first)
            #expect(stored.outcome == .confirmationRequired)
            #expect(stored.argumentsSHA256.utf8.count == 64)
            #expect((stored.arguments != nil) == isStored)
        }
    }

    /// With the maximum number of functions and the longest arguments, a minute of rejected calls stores a limited number of bytes.
    @Test func `a minute of refused calls stores little`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}")), records: true) { service, _ in
            let ticket = try service.ticket()
            for size in [1900, 15_000] {
                let text = JSONValue.string(String(repeating: "x", count: size))
                for _ in 0..<40 {
                    #expect(try service.call("cancel_order", ["order_id": "7", "reason": text], ticket: ticket).status == 409)
                    #expect(try service.call("move_order", ["order_id": "7", "to": text], ticket: ticket).status == 409)
                    #expect(try service.call("get_order_list", ["wrong": text], ticket: ticket).status == 400)
                }
            }
            let calls = try service.storedCalls()
            #expect(calls.count == 30)
            #expect(calls.reduce(0) { $0 + ($1.arguments?.utf8.count ?? 0) } <= 30 * RefusalSampler.longestText)
        }
    }

    /// A number that only parsing of the arguments rejects shows whether they are parsed.
    @Test(arguments: [
        ("no ticket", #""#, 401), ("null", #""ticket":null,"#, 401), ("an empty ticket", #""ticket":"","#, 401),
        ("no text", #""ticket":7,"#, 401), ("a foreign text", #""ticket":"dgbt1.AAAA","#, 401),
        ("half a character", #""ticket":"\ud800","#, 401),
    ])
    func `arguments of unauthenticated callers are not parsed`(_ name: String, member: String, status: Int) throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, _ in
            let rest = #""name":"get_order_list","arguments":{"most":1e999}}"#
            let answer = try service.begin("POST /bots/orders/call", Array("{\(member)\(rest)".utf8)).readResponse()
            #expect(answer.status == status, "\(name)")
            let own = try service.begin("POST /bots/orders/call", Array(#"{"ticket":"\#(try service.ticket())",\#(rest)"#.utf8))
                .readResponse()
            #expect((own.status, own.error) == (400, "invalid_arguments"))
        }
    }
}
