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

/// Arguments that do not match a function's parameters.
@Suite struct BotArgumentTests {
    private func withBot(
        _ body: (_ send: (String, String, String) throws -> ReceivedResponse, ScriptedServer) throws ->
            Void
    ) throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket()
            try body(
                { function, query, text in
                    try service.begin(
                        "POST /bots/orders/functions/\(function)\(query)", Array(text.utf8),
                        headers: "Authorization: Bearer \(ticket)\r\n"
                    ).readResponse()
                }, backend)
        }
    }

    @Test func `errors name the parameter`() throws {
        let cases: [(function: String, query: String, body: String, names: String)] = [
            ("get_order_details", "", "{}", "order_id"),
            ("get_order_details", "", #"{"order_id":7}"#, "order_id"),
            ("get_order_details", "?order_id=7", #"{"order_id":"7"}"#, "order_id"),
            ("get_order_details", "?order_id=7&order_id=7", "", "order_id"),
            ("get_order_details", "?order_id=7", "order_id=8", "order_id"),
            ("get_order_details", "", #"{"order_id":"7","order_id":"8"}"#, "duplicate"),
            ("get_order_details", "", #"{"order_id":"7","customer":"user-2"}"#, "customer"),
            ("get_order_details", "?order_id=7&customer=user-2", "", "customer"),
            ("get_order_list", "", #"{"most":51}"#, "most"),
            ("get_order_list", "?most=5.5", "", "most"), ("get_order_list", "?most=x", "", "most"),
            ("get_order_list", "?state=lost", "", "state"),
            ("get_order_list", "", #"{"more":1}"#, "more"),
            ("get_order_list", "", #"{"__proto__":{"state":"open"}}"#, "__proto__"),
            ("get_order_list", "?__proto__=1", "", "__proto__"),
            ("reorder", "", #"{"order_id":"7","notes":{"a":[{"__proto__":{}}]}}"#, "__proto__"),
            ("get_order_list", "", #"{"most":1e400}"#, "most is a number beyond 64 bits"),
            ("get_order_list", "", #"{"most":123456789012345678901234567890}"#, "most is a number beyond 64 bits"),
            ("get_order_list", "?most=1e400", "", "most is a number beyond 64 bits"),
            ("get_order_list", "", "most=-9223372036854775809", "most is a number beyond 64 bits"),
            ("get_order_list", "", #"{"most":1e20}"#, "most must be an integer from"),
            ("reorder", "", #"{"order_id":"7","notes":{"a":[1,{"b":-1e999}]}}"#, "notes.a[1].b is a number beyond 64 bits"),
            ("reorder", "?notes=%7B%22a%22%3A1e-400%7D", "order_id=7", "notes.a is a number beyond 64 bits"),
            ("get_order_list", "", "[]", "object"), ("get_order_list", "", #""{}""#, "object"),
            ("get_order_list", "", "{", "JSON"),
            ("get_order_list", "?state=%zz", "", "%"), ("get_order_list", "?state=%2", "", "%"), ("get_order_list", "?state=%-1", "", "%"),
            ("get_order_list", "?state=%FF", "", "UTF-8"),
        ]
        try withBot { send, backend in
            for (function, query, body, name) in cases {
                let response = try send(function, query, body)
                #expect(
                    (response.status, response.error) == (400, "invalid_arguments"),
                    "\(function)\(query) \(body)")
                #expect(try #require(response.json["message"]?.text).contains(name), "\(response.text)")
            }
            #expect(backend.requests.isEmpty)
        }
    }

    /// In JavaScript, assigning such a name can change the prototype of all objects, at any depth and in any encoding.
    @Test(
        arguments: [
            ("in JSON", "", #"{"order_id":"7","notes":{"__proto__":1}}"#),
            ("in JSON, escaped", "", #"{"order_id":"7","notes":{"\u005f_proto__":1}}"#),
            ("deep in JSON", "", #"{"order_id":"7","notes":{"a":[0,{"b":{"__proto__":{}}}]}}"#),
            ("in a query", "?order_id=7&notes=%7B%22__proto__%22%3A1%7D", ""),
            ("deep in a query", "?order_id=7&notes=%7B%22a%22%3A%5B%7B%22__proto__%22%3A1%7D%5D%7D", ""),
            ("in a query, escaped twice", "?order_id=7&notes=%7B%22%5Cu005f_proto__%22%3A1%7D", ""),
            ("in a form", "", "order_id=7&notes=%7B%22__proto__%22%3A1%7D"),
            ("deep in a form", "", #"order_id=7&notes={"a":{"b":[{"__proto__":{"admin":true}}]}}"#),
            ("in a query beside JSON", "?notes=%7B%22__proto__%22%3A1%7D", #"{"order_id":"7"}"#),
            ("in JSON beside a query", "?order_id=7", #"{"notes":{"__proto__":1}}"#),
            ("as a name in a query", "?order_id=7&__proto__=1", ""), ("as a name in a form", "", "order_id=7&%5F_proto__=1"),
        ])
    func `a member with the name proto is rejected`(_ name: String, query: String, body: String) throws {
        try withBot { send, backend in
            let response = try send("reorder", query, body)
            #expect(response.status == 400)
            #expect(response.json["message"] == "a member must not have the name __proto__.")
            #expect(backend.requests.isEmpty)
        }
    }

    @Test func `a member with the name proto is rejected in the neutral form`() throws {
        try BotFixture().withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket()
            let arguments: JSONValue = ["order_id": "7", "notes": ["a": [["__proto__": 1]]]]
            for form in [arguments, .string(String(decoding: arguments.serialized(), as: UTF8.self))] {
                let response = try service.callNeutrally("reorder", form, ticket: ticket)
                #expect(response.status == 400)
                #expect(response.json["message"] == "a member must not have the name __proto__.")
            }
            #expect(backend.requests.isEmpty)
        }
    }

    @Test func `a text may contain proto`() throws {
        try withBot { (send, backend) throws in
            #expect(try send("cancel_order", "", "order_id=7&reason=__proto__").status == 409)
            #expect(backend.requests.isEmpty)
        }
    }

    /// Digits are kept, except that integers are written as integers.
    @Test func `numbers keep their digits`() throws {
        let notes = #"{"price":19.99,"same":19.990,"exact":0.1000000000000000055,"large":9007199254740993.5,"e":1E2,"zero":-0.0}"#
        try withBot { (send, backend) throws in
            #expect(try send("reorder", "", #"{"order_id":"7","count":2.0,"notes":\#(notes)}"#).status == 200)
            #expect(try send("reorder", "?order_id=8&count=3E0", "notes=\(BotURLTemplate.escaped(notes))").status == 200)
            let bodies = backend.requests.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(
                bodies == [
                    #"{"order_id":"7","count":2,"notes":\#(notes)}"#, #"{"order_id":"8","count":3,"notes":\#(notes)}"#,
                ])
        }
    }

    @Test(arguments: ["", " ", "\n", "\r\n", "\t", " \r\n\t ", "null", " null\n", "{}", " {} "])
    func `are empty when blank or null`(text: String) throws {
        try BotFixture().withBot(.everyRequest(.respond(200, headers: ["Content-Type: application/json"], body: "{}"))) {
            service, backend in
            let ticket = try service.ticket()
            #expect(try service.callNeutrally("get_order_list", .string(text), ticket: ticket).status == 200)
            for type in ["application/json", "application/x-www-form-urlencoded", "text/plain"]
            where type.hasSuffix("json") || text.allSatisfy(\.isWhitespace) {
                let response = try service.begin(
                    "POST /bots/orders/functions/get_order_list", Array(text.utf8),
                    headers: "Authorization: Bearer \(ticket)\r\nContent-Type: \(type)\r\n"
                ).readResponse()
                #expect(response.status == 200, "\(type)")
            }
            #expect(Set(backend.requests.map(\.target)) == ["/users/user-1/orders"])
        }
    }

    @Test func `arguments have a maximum size`() throws {
        try withBot { (send, backend) throws in
            let deep = String(repeating: #"{"a":"#, count: 33) + "1" + String(repeating: "}", count: 33)
            #expect(try send("reorder", "", #"{"order_id":"7","notes":\#(deep)}"#).status == 400)
            let many = (0..<300).map { "\"a\($0)\":1" }.joined(separator: ",")
            #expect(try send("get_order_list", "", "{\(many)}").status == 400)
            let text = String(repeating: "x", count: 17 << 10)
            #expect(try send("reorder", "", #"{"order_id":"7","notes":{"a":"\#(text)"}}"#).status == 400)
            #expect(
                try send("get_order_list", "", #"{"a":"\#(String(repeating: "x", count: 65 << 10))"}"#)
                    .status == 413)
            #expect(
                try send("get_order_list", "", #"{"a":"\#(String(repeating: "x", count: 1 << 20))"}"#)
                    .status == 413)
            #expect(backend.requests.isEmpty)
        }
    }

    /// One part more than allowed, each as short as possible.
    @Test func `are limited in number`() throws {
        let (most, values) = (ReceivedArguments.most, ReceivedArguments.maximumValues)
        func members(_ count: Int) -> String { (0..<count).map { "\"a\($0)\":1" }.joined(separator: ",") }
        func pairs(_ count: Int) -> String { (0..<count).map { "a\($0)=1" }.joined(separator: "&") }
        let list = String(repeating: "1,", count: values) + "1"
        let cases: [(function: String, query: String, body: String, says: String)] = [
            ("get_order_list", "", pairs(most + 1), "more than"), ("get_order_list", "", pairs(most), "unknown"),
            ("get_order_list", "", String(repeating: "a&", count: 30_000), "more than"),
            ("get_order_list", "", "{\(members(most + 1))}", "more than"), ("get_order_list", "", "{\(members(most))}", "unknown"),
            ("get_order_list", "?a=1", "{\(members(most))}", "more than"),
            ("move_order", "", "{\"confirmation\":\"x\",\(members(5000))}", "too many values"),
            ("move_order", "", "{\"confirmation\":\"x\",\(members(most))}", "more than"),
            ("reorder", "", #"{"order_id":"7","notes":{"a":[\#(list)]}}"#, "too many values"),
            ("reorder", "", "{\"order_id\":\"7\",\"notes\":{\(members(values / 2))}}", "too many values"),
            ("get_order_list", "", "[\(list)]", "too many values"),
        ]
        try withBot { send, backend in
            for (function, query, body, says) in cases {
                let response = try send(function, query, body)
                #expect((response.status, response.error) == (400, "invalid_arguments"), "\(function)\(query.prefix(9)) \(body.prefix(40))")
                #expect(response.json["message"]?.text?.contains(says) == true, "\(response.text)")
            }
            #expect(backend.requests.isEmpty)
        }
    }

    /// In the vendor-neutral form, as an object and as text.
    @Test func `are limited in number in the neutral form`() throws {
        let many = JSONValue.object(JSONObject((0..<300).map { ("a\($0)", 1) }))
        let list: JSONValue = ["wrong": .array(Array(repeating: 1, count: ReceivedArguments.maximumValues))]
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket()
            for value in [many, list] {
                for arguments in [value, .string(String(decoding: value.serialized(), as: UTF8.self))] {
                    #expect(try service.callNeutrally("get_order_list", arguments, ticket: ticket).status == 400)
                }
            }
            #expect(backend.requests.isEmpty)
        }
    }

    /// Any value stays in its segment of the address.
    @Test(arguments: [
        "..", ".", "%2e%2e", "%2E.", "../users/user-2/orders", "..%2fusers", "a/../b", "%252e%252e",
        "\\..\\b", "a\r\nX-Admin: 1", "\u{0}",
    ])
    func `may not leave their path segment`(text: String) throws {
        try withBot { send, backend in
            let body: JSONValue = ["order_id": .string(text)]
            let response = try send(
                "get_order_details", "", String(decoding: body.serialized(), as: UTF8.self))
            #expect((response.status, response.error) == (400, "invalid_arguments"))
            #expect(backend.requests.isEmpty)
        }
    }

    @Test(arguments: [
        "a/b?c=d&of=user-2#e", "7 HTTP/1.1", "\u{e9}\u{1F4A9}", "a%2Fb", "{customer}",
        "x@evil.example.com:80",
    ])
    func `stay in their path segment`(text: String) throws {
        try withBot { send, backend in
            let body: JSONValue = ["order_id": .string(text)]
            #expect(
                try send("get_order_details", "", String(decoding: body.serialized(), as: UTF8.self)).status
                    == 200)
            let request = try #require(backend.requests.first)
            let escaped = BotURLTemplate.escaped(text)
            #expect(request.target == "/orders/\(escaped)?of=user-1")
            #expect(
                request.headers.filter { $0.name.lowercased() == "host" }.map(\.value) == [
                    "127.0.0.1:\(backend.port)"
                ])
        }
    }

    @Test func `are stored with rejected calls`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, _ in
            let ticket = try service.ticket()
            for _ in 0..<40 {
                #expect(try service.get("get_order_details", ticket: ticket).status == 400)
            }
            // Such calls cannot fill the store.
            #expect(try service.storedCalls().map(\.outcome) == Array(repeating: .invalid, count: 30))
            #expect(
                try service.metricLines(
                    "deskgate_bot_calls_total{bot=\"orders\",function=\"get_order_details\",outcome=\"invalid\"}"
                ) == [" 40"])
        }
    }
}
