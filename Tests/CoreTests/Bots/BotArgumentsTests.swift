import Core
import Crypto
import JSON
import TestSupport
import Testing
import Time

@Suite struct BotArgumentsTests {
    private static let grant = BotSamples.grant()

    private func bound(_ method: BotMethod = .post) throws -> BotFunction {
        try BotSamples.function(
            method, url: "https://shop.example.com/{app}/customers/{customer_id}/orders/{order_id}",
            properties:
                #""order_id":{"type":"string"},"note":{"type":["string","null"]},"count":{"type":"integer"},"tags":{"type":"array"}"#,
            bindings: [("customer_id", .userID), ("app", .appID)],
            headers: [BotRequest.Header(name: "X-Customer", value: .text(BotText("id {customer_id}")))])
    }

    @Test func `bound arguments have Deskgate's values`() throws {
        let function = try bound()
        let arguments = try function.arguments(["order_id": "7", "note": "a\nb"], of: Self.grant)
        #expect(arguments.complete == ["order_id": "7", "note": "a\nb", "customer_id": "user-1", "app": "shop"])
        let request = try #require(function.request).filled(with: arguments)
        #expect(request.url == "https://shop.example.com/shop/customers/user-1/orders/7")
        #expect(request.headers.map { "\($0.name): \($0.value)" } == ["X-Customer: id user-1"])
        #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == #"{"note":"a\nb"}"#)
        #expect(request.method == .post)
        #expect(request.timeoutMilliseconds == 3000)
    }

    /// Any input of the model is either rejected, or the bound values are the ticket's.
    @Test func `a model cannot set bound values`() throws {
        let function = try bound()
        var generator = SeededGenerator(seed: 6)
        let names = [
            "customer_id", "app", "order_id", "note", "count", "Customer_id", "customer_id ", "customer%5Fid", "__proto__", "constructor",
        ]
        var (taken, refused) = (0, 0)
        for _ in 0..<3000 {
            var object = JSONObject()
            if Int.random(in: 0..<8, using: &generator) > 0 { object.append("7", forKey: "order_id") }
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let name = generator.element(of: names)
                let values: [JSONValue] = [
                    "other", 1, nil, ["customer_id": "other"], ["other"], .string(BotSamples.text(8, using: &generator)),
                ]
                if object[name] == nil { object.append(generator.element(of: values), forKey: name) }
            }
            guard let arguments = try? function.arguments(.object(object), of: Self.grant) else {
                refused += 1
                continue
            }
            taken += 1
            #expect(arguments.given["customer_id"] == nil)
            #expect(arguments.given["app"] == nil)
            #expect(arguments.complete["customer_id"] == "user-1")
            #expect(arguments.complete["app"] == "shop")
            guard let request = try? function.request?.filled(with: arguments) else { continue }
            #expect(request.url.hasPrefix("https://shop.example.com/shop/customers/user-1/orders/"))
            #expect(request.headers.map(\.value) == ["id user-1"])
        }
        #expect(taken > 100)
        #expect(refused > 100)
    }

    @Test(arguments: ["customer_id", "app", "__proto__", "user_id"]) func `hidden names are unknown`(_ name: String) throws {
        let function = try bound()
        #expect(throws: BotArgumentsProblem("\(name) is unknown; known here: order_id, note, count, tags")) {
            try function.arguments(.object(JSONObject([("order_id", "7"), (name, "x")])), of: Self.grant)
        }
    }

    @Test(arguments: [nil, [], "x", 1, true] as [JSONValue]) func `arguments must be an object`(_ value: JSONValue) throws {
        #expect(throws: BotArgumentsProblem("the arguments must be an object")) { try bound().arguments(value, of: Self.grant) }
    }

    @Test func `other arguments of a GET go into the query`() throws {
        let function = try bound(.get)
        let arguments = try function.arguments(
            ["order_id": "7", "note": "a&b=c", "count": 2, "tags": ["x", ["y": nil]]], of: Self.grant)
        let request = try #require(function.request).filled(with: arguments)
        #expect(
            request.url
                == "https://shop.example.com/shop/customers/user-1/orders/7?note=a%26b%3Dc&count=2&tags=%5B%22x%22%2C%7B%22y%22%3Anull%7D%5D"
        )
        #expect(request.body == nil)
    }

    @Test func `headers contain no control character`() throws {
        let secret = SecretBytes(copying: "of the shop".utf8.span)
        let function = try BotSamples.function(
            properties: #""order_id":{"type":"string"}"#,
            headers: [
                BotRequest.Header(name: "X-Order", value: .text(BotText("a {order_id} b"))),
                BotRequest.Header(name: "Authorization", value: .secret(secret)),
            ])
        var generator = SeededGenerator(seed: 8)
        var filled = 0
        for _ in 0..<3000 {
            let text = BotSamples.text(20, using: &generator)
            let arguments = try function.arguments(["order_id": .string(text)], of: Self.grant)
            guard let request = try? function.request?.filled(with: arguments) else { continue }
            filled += 1
            #expect(request.headers[0].value.utf8.allSatisfy { (0x20..<0x7F).contains($0) })
            #expect(request.headers[1].value == "of the shop")
        }
        #expect(filled > 100)
        let long = try BotSamples.function(
            url: "https://shop.example.com/", headers: [BotRequest.Header(name: "X-Order", value: .text(BotText("{order_id}")))])
        let arguments = try long.arguments(["order_id": .string(String(repeating: "x", count: 5000))], of: Self.grant)
        #expect(throws: BotArgumentsProblem("order_id is too long")) { try long.request?.filled(with: arguments) }
    }

    /// The backend, the confirmation and the record get the model's number, the first two with its digits.
    @Test(
        arguments: [
            ("19.99", "19.99", "19.99"), ("19.990", "19.990", "19.99"), ("0.1", "0.1", "0.1"), ("1E2", "1E2", "100"), ("-0", "0", "0"),
            ("-0.0", "-0.0", "0"), ("1.0", "1.0", "1"), ("9007199254740993", "9007199254740993", "9007199254740993"),
            ("9007199254740993.5", "9007199254740993.5", "9007199254740993.5"), ("1e-320", "1e-320", "1e-320"),
            ("0.30000000000000004", "0.30000000000000004", "0.30000000000000004"),
            ("123456789012345678901234567890.12", "123456789012345678901234567890.12", "123456789012345678901234567890.12"),
        ]) func `numbers keep their value`(_ number: String, sent: String, recorded: String) throws
    {
        let properties = #""price":{"type":"number"},"list":{"type":"array"}"#
        let post = try BotSamples.function(url: "https://shop.example.com/", properties: properties, required: "")
        let given = try BotSamples.value(#"{"price":\#(number),"list":[{"a":\#(number)}]}"#)
        let arguments = try post.arguments(given, of: Self.grant)
        let expected = #"{"price":\#(sent),"list":[{"a":\#(sent)}]}"#
        let body = try #require(post.request).filled(with: arguments).body
        #expect(body.map { String(decoding: $0, as: UTF8.self) } == expected)
        #expect(String(decoding: arguments.canonical, as: UTF8.self) == #"{"list":[{"a":\#(recorded)}],"price":\#(recorded)}"#)
        let get = try BotSamples.function(.get, url: "https://shop.example.com/{price}", properties: properties, required: "")
        let url = try #require(get.request).filled(with: get.arguments(given, of: Self.grant)).url
        #expect(url == "https://shop.example.com/\(sent)?list=%5B%7B%22a%22%3A\(sent)%7D%5D")

        let bot = try BotSamples.bot()
        let token = BotConfirmationToken(Self.grant, function: "cancel_order", arguments: arguments.given, id: InlineArray { UInt8($0) })
        guard case .valid(let confirmed) = try BotConfirmationToken.verdict(on: token.text(for: bot), for: bot, now: 1_800_000_000) else {
            Issue.record("expected a valid confirmation")
            return
        }
        #expect(String(decoding: JSONValue.object(confirmed.arguments).serialized(), as: UTF8.self) == expected)
        #expect(try post.arguments(.object(confirmed.arguments), of: Self.grant) == arguments)
    }

    /// A number is either rejected with its name or sent unchanged.
    @Test func `any number keeps its value`() throws {
        let function = try BotSamples.function(url: "https://shop.example.com/", properties: #""price":{"type":"number"}"#, required: "")
        let bot = try BotSamples.bot()
        var generator = SeededGenerator(seed: 45)
        var taken = 0
        for _ in 0..<1000 {
            let text = JSONNumberText.random(using: &generator)
            let given: JSONValue
            do throws(BotArgumentsProblem) {
                given = try function.value(ofTexts: [("price", text)])
            } catch {
                #expect(error.description == "price is a number beyond 64 bits", "\(text)")
                continue
            }
            taken += 1
            let arguments = try function.arguments(given, of: Self.grant)
            let sent = try #require(function.request).filled(with: arguments).body.map { String(decoding: $0, as: UTF8.self) }
            #expect(sent == #"{"price":\#(text == "-0" ? "0" : text)}"#)
            let token = BotConfirmationToken(Self.grant, function: "f", arguments: arguments.given, id: InlineArray { UInt8($0) })
            let verdict = try BotConfirmationToken.verdict(on: token.text(for: bot), for: bot, now: 1_800_000_000)
            #expect(verdict == .valid(token), "\(text)")
            // The canonical form in the audit and in the key has the same value.
            let recorded = try BotSamples.value(String(decoding: arguments.canonical, as: UTF8.self))
            #expect(try function.arguments(recorded, of: Self.grant).canonical == arguments.canonical, "\(text)")
        }
        #expect(taken > 500)
    }

    /// A shorter canonical form does not shorten a confirmation.
    @Test func `many digits are too long for a confirmation`() throws {
        let function = try BotSamples.function(url: "https://shop.example.com/", properties: #""price":{"type":"number"}"#, required: "")
        let given = try BotSamples.value(#"{"price":1.\#(String(repeating: "0", count: 16 << 10))}"#)
        #expect(throws: BotArgumentsProblem("the arguments are longer than 16384 bytes")) { try function.arguments(given, of: Self.grant) }
    }

    @Test func `a function with changes has short arguments`() throws {
        let long: JSONValue = ["order_id": .string(String(repeating: "x", count: 16 << 10))]
        #expect(throws: BotArgumentsProblem("the arguments are longer than 16384 bytes")) {
            try BotSamples.function().arguments(long, of: Self.grant)
        }
        #expect(throws: Never.self) { try BotSamples.function(.get).arguments(long, of: Self.grant) }
    }

    @Test func `texts are converted to the schema's type`() throws {
        let function = try bound()
        #expect(
            try function.value(ofTexts: [("order_id", "7"), ("count", "2"), ("note", "x"), ("tags", "[1]"), ("z", "1")])
                == ["order_id": "7", "count": 2, "note": "x", "tags": [1], "z": "1"])
        #expect(throws: BotArgumentsProblem("order_id has two values")) {
            try function.value(ofTexts: [("order_id", "7"), ("order_id", "8")])
        }
        #expect(throws: BotArgumentsProblem.self) { try function.value(ofTexts: (0..<2000).map { ("n\($0)", "") }) }
    }

    @Test(arguments: [
        ("count", "1e400", "count"), ("count", "123456789012345678901234567890", "count"), ("tags", "[0,[1e400]]", "tags[1][0]"),
    ])
    func `the error names a number beyond 64 bits`(_ name: String, text: String, place: String) throws {
        #expect(throws: BotArgumentsProblem("\(place) is a number beyond 64 bits")) { try bound().value(ofTexts: [(name, text)]) }
    }

    @Test func `other numbers make other calls`() throws {
        let function = try BotSamples.function(url: "https://shop.example.com/", properties: #""price":{"type":"number"}"#, required: "")
        let forms = try ["0.1", "0.1000000000000000055511151231257827", "0.10000000000000002", "9007199254740993.0", "9007199254740992.0"]
            .map {
                try function.arguments(BotSamples.value(#"{"price":\#($0)}"#), of: Self.grant).canonical
            }
        #expect(Set(forms).count == forms.count)
    }

    @Test func `equal arguments have equal bytes`() throws {
        let function = try bound()
        let one = try function.arguments(["order_id": "7", "count": 2], of: Self.grant)
        let other = try function.arguments(["count": .real(2), "order_id": "7"], of: Self.grant)
        #expect(one.canonical == other.canonical)
        #expect(other.given == ["count": 2, "order_id": "7"])
        #expect(other.complete["count"] == 2)
        #expect(String(decoding: one.canonical, as: UTF8.self) == #"{"app":"shop","count":2,"customer_id":"user-1","order_id":"7"}"#)
    }
}
