import Core
import JSON
import TestSupport
import Testing
import Time

@testable import Configuration

/// The chatbots of a configuration: their settings, and every possible mistake.
@Suite struct ConfigurationBotTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try BotDocument.directory()
    }

    @Test func `there are none by default`() throws {
        #expect(try directory.configuration(members: #""log":{}"#).bots.isEmpty)
        #expect(try directory.configuration(members: #""bots":[]"#).bots.isEmpty)
    }

    @Test func `members have defaults`() throws {
        let bot = try #require(try directory.configuration(bots: BotDocument.bot()).bots.first)
        #expect(bot.name == "orders")
        #expect(bot.apps == ["shop"])
        #expect(bot.publicURL == "https://chat.example.com")
        #expect(bot.ticketLifetimeSeconds == 600)
        #expect(!bot.recordsArguments)
        #expect(bot.firstMessage == nil)
        #expect(bot.secrets.count == 1)
        let function = try #require(bot.function(named: "cancel_order"))
        #expect(function.confirmation == .user)
        #expect(function.changesSomething)
        #expect(function.request?.timeoutMilliseconds == TimeLimit.milliseconds(3000))
        #expect(function.limits == [LimitRule(per: .user, max: 30, windowMilliseconds: 60_000)])
        #expect(function.bindings.map(\.parameter) == ["customer_id"])
        #expect(
            function.modelParameters == [
                "type": "object",
                "properties": ["order_id": ["type": "string", "maxLength": 9], "note": ["type": "string"]], "required": ["order_id"],
            ])
        #expect(bot.address(of: function) == "https://chat.example.com/bots/orders/functions/cancel_order")
        #expect(bot.function(named: "Cancel_order") == nil)
    }

    @Test func `every member can be set`() throws {
        let request =
            #"{"method":"GET","url":"http://127.0.0.1:9000/{customer_id}?x={order_id}","headers":{"X-Lang":"en {order_id}","Authorization":"#
            + #"{"file":"secrets/shop"}},"timeout_ms":100}"#
        let function = BotDocument.function([
            "request": request, "confirm": #""none""#, "limits": #"[{"per":"user","max":2,"window_seconds":5}]"#,
        ])
        let bot = try #require(
            try directory.configuration(
                bots:
                    BotDocument.bot([
                        "public_url": #""http://localhost:8080/x/""#, "secret": #"[{"file":"secrets/bot.whsec"}]"#,
                        "ticket_life_seconds": "60",
                        "record_arguments": "true", "first_message": #"{"message":"Hi","options":["a","b"]}"#, "functions": "[\(function)]",
                        "system_message": #""{{}} {name}""#,
                    ])
            ).bots.first)
        #expect(bot.publicURL == "http://localhost:8080/x")
        #expect(bot.ticketLifetimeSeconds == 60)
        #expect(bot.recordsArguments)
        #expect(bot.firstMessage == BotDefinition.FirstMessage(message: "Hi", options: ["a", "b"]))
        #expect(bot.fields == ["name"])
        let read = bot.functions[0]
        #expect(read.confirmation == .none)
        #expect(!read.changesSomething)
        #expect(read.limits.first?.max == 2)
        let grant = BotGrant(appID: "shop", userID: "u", key: nil, issuedAt: 1, expiresAt: 61)
        let filled = try #require(read.request).filled(with: read.arguments(["order_id": "7"], of: grant))
        #expect(filled.url == "http://127.0.0.1:9000/u?x=7")
        #expect(filled.timeoutMilliseconds == 100)
        #expect(filled.headers.map(\.name) == ["X-Lang", "Authorization"])
        #expect(filled.headers[1].value.hasPrefix("Bearer "))
    }

    @Test(arguments: [
        ("name", "", "name: missing; give the bot a name of 1 to 32 characters, which is a part of its addresses"),
        ("name", #""Orders""#, #"name: expected 1 to 32 lower-case letters, digits, "-" or "_""#),
        ("name", #""a/b""#, #"name: expected 1 to 32 lower-case letters, digits, "-" or "_""#),
        ("name", #""012345678901234567890123456789012""#, #"name: expected 1 to 32 lower-case letters, digits, "-" or "_""#),
        ("apps", "", "apps: missing; list the app_id of each app that the bot serves"),
        ("apps", "[]", "apps: expected at least one app_id"),
        ("apps", #"["other"]"#, "apps[0]: no app of $.apps has this app_id"),
        ("apps", #"["shop","shop"]"#, "apps[1]: the bot serves this app already"),
        ("apps", "[1]", "apps[0]: expected an app_id, found a number"),
        (
            "public_url", "",
            "public_url: missing; give the address at which the vendor reaches the public listener, such as https://chat.example.com"
        ),
        (
            "public_url", #""chat.example.com""#,
            "public_url: an address begins with a scheme and ://, such as https://; add them"
        ),
        (
            "public_url", #""http://chat.example.com""#,
            "public_url: plain http would show tickets to everybody on the way; give an https address"
        ),
        (
            "secret", #"{"file":"secrets/app-2.key"}"#,
            #"secret: expected whsec_ and the base64 of 24 to 64 bytes; make one with: echo "whsec_$(openssl rand -base64 32)""#
        ),
        ("secret", "[]", "secret: expected at least one secret"),
        ("system_message", "", "system_message: missing; describe the model's task, and what it must not do"),
        ("system_message", #""a } b""#, "system_message: a brace has no partner; write {{ or }} for a brace itself"),
        (
            "system_message", #""a {b c}""#,
            #"system_message: expected a name of 1 to 64 letters, digits, "-" or "_" between braces; write {{ or }} for a brace itself"#
        ),
        ("first_message", "{}", #"first_message.message: missing; write the bot's first message, or leave "first_message" out"#),
        (
            "first_message", #"{"message":"a","options":[""]}"#,
            "first_message.options[0]: expected a non-empty string, found an empty string"
        ),
        ("ticket_life_seconds", "59", "ticket_life_seconds: expected an integer from 60 to 3600, found 59"),
        ("ticket_life_seconds", "3601", "ticket_life_seconds: expected an integer from 60 to 3600, found 3601"),
        ("record_arguments", "1", "record_arguments: expected true or false, found a number"),
        ("functions", "", "functions: missing; list the functions that the model may call"),
        ("functions", "[]", "functions: expected at least one function"),
        (
            "functions", "[\(BotDocument.function()),\(BotDocument.function())]",
            "functions[1].name: another function of this bot has this name already"
        ),
        ("function", "1", #"function: unknown key; did you mean "functions"?"#),
    ]) func `a bot is rejected`(_ key: String, value: String, problem: String) throws {
        #expect(try directory.problems(bots: BotDocument.bot([key: value])) == ["$.bots[0].\(problem)"])
    }

    @Test func `names must differ`() throws {
        try directory.scratch.write("secrets/other.whsec", TestSecret.signing(42))
        let other = BotDocument.bot(["secret": #"{"file":"secrets/other.whsec"}"#])
        #expect(try directory.problems(bots: BotDocument.bot(), other) == ["$.bots[1].name: another bot has this name already"])
        #expect(
            try directory.problems(bots: BotDocument.bot(), BotDocument.bot(["name": #""b""#])).first?.contains(
                "the same secret as $.bots[0].secret") == true)
    }

    @Test func `bots are a list`() throws {
        let problem = try #require(try directory.problems(members: #""bots":{}"#).first)
        #expect(problem.hasPrefix(#"$.bots: expected a list, found an object; write [{"name": …, "apps": …, "#))
    }

    @Test func `every mistake is reported at once`() throws {
        let function = BotDocument.function(["name": #""a b""#, "bind": #"{"x":"user_id"}"#, "confirm": #""x""#])
        let found = try directory.problems(
            bots:
                BotDocument.bot([
                    "name": #""A""#, "apps": #"["other"]"#, "system_message": #""{""#, "functions": "[\(function)]",
                    "record_arguments": "1",
                ]))
        #expect(found.count == 7, "\(found)")
        #expect(found.allSatisfy { $0.hasPrefix("$.bots[0].") })
    }

    @Test func `too many tokens are rejected with their number`() throws {
        let found = try directory.problems(bots: BotDocument.bot(["system_message": "\"\(String(repeating: "é", count: 2000))\""]))
        #expect(found.count == 1)
        #expect(found[0].hasPrefix("$.bots[0]: the model's texts may have up to 4"))
        #expect(found[0].contains(" tokens, and the vendor takes 4027; ") && found[0].contains("system_message 4000, cancel_order "))
        #expect(found[0].hasSuffix(#"; shorten texts, or give each bot fewer functions, or give "model": "own" if the model is your own"#))
        let long = try directory.problems(
            bots: BotDocument.bot(["first_message": #"{"message":"\#(String(repeating: "x", count: 4000))"}"#]))
        #expect(
            long == [
                "$.bots[0].first_message: may have up to 4049 tokens, and the vendor takes 4027; shorten the message or its options, "
                    + #"or give "model": "own" if the model is your own"#
            ])
    }

    @Test func `the model is the vendor's by default`() throws {
        #expect(try directory.configuration(bots: BotDocument.bot()).bots.first?.model == .vendor)
        #expect(try directory.configuration(bots: BotDocument.bot(["model": #""own""#])).bots.first?.model == .own)
        #expect(try directory.problems(bots: BotDocument.bot(["model": #""Own""#])).first?.hasPrefix("$.bots[0].model: ") == true)
    }

    @Test func `a custom model accepts 64 functions, and the vendor's does not`() throws {
        let functions = (1...64).map { BotDocument.function(["name": "\"f\($0)\""]) }.joined(separator: ",")
        let own = ["model": #""own""#, "functions": "[\(functions)]"]
        #expect(try directory.configuration(bots: BotDocument.bot(own)).bots.first?.functions.count == 64)
        let refused = try directory.problems(bots: BotDocument.bot(["functions": "[\(functions)]"]))
        #expect(refused.count == 1)
        #expect(refused.first?.contains("the vendor takes 4027") == true)
    }

    @Test func `texts for a custom model end at 256 KiB`() throws {
        let long = "\"\(String(repeating: "é", count: 131_072))\""
        let message = try directory.problems(bots: BotDocument.bot(["model": #""own""#, "system_message": long]))
        #expect(message.count == 1)
        #expect(message.first?.hasPrefix("$.bots[0]: the model's texts may have up to 26") == true)
        #expect(message.first?.contains(" bytes, and Deskgate takes 262144; ") == true)
        #expect(message.first?.hasSuffix("; shorten texts, or give each bot fewer functions") == true)
        let first = try directory.problems(bots: BotDocument.bot(["model": #""own""#, "first_message": "{\"message\":\(long)}"]))
        #expect(
            first == [
                "$.bots[0].first_message: may have up to 262193 bytes, and Deskgate takes 262144; shorten the message or its options"
            ])
    }

    @Test func `backends are called by host`() throws {
        let hosts = try directory.configuration(bots: BotDocument.bot()).calledHosts
        #expect(hosts.map(\.host) == ["shop.example.com"] && hosts.map(\.path) == ["$.bots[0].functions[0].request.url"])
    }

    @Test func `is updated by a reload`() throws {
        let before = try directory.configuration(bots: BotDocument.bot())
        let after = try directory.configuration(bots: BotDocument.bot(["ticket_life_seconds": "700", "system_message": #""Other""#]))
        #expect(after.fixedKeys(differingFrom: before) == [])
        #expect(before.differences(to: after).map(\.path) == ["$.bots[0].system_message", "$.bots[0].ticket_life_seconds"])
        #expect(before.differences(to: after).allSatisfy { $0.takesEffect == .reload })
    }

    @Test func `shows numbers as written`() throws {
        let price = #""price":{"type":"number","maximum":19.99,"multipleOf":0.01,"default":1E2}"#
        let parameters = BotDocument.parameters.replacing(#""note":"#, with: #"\#(price),"note":"#)
        let configuration = try directory.configuration(
            bots: BotDocument.bot(["functions": "[\(BotDocument.function(["parameters": parameters]))]"]))
        let shown = String(decoding: configuration.shown.value.serialized(pretty: true), as: UTF8.self)
        for text in [#""maximum": 19.99,"#, #""multipleOf": 0.01,"#, #""default": 1E2"#] { #expect(shown.contains(text), "\(text)") }
        let reported = String(decoding: configuration.bots[0].functions[0].modelParameters.serialized(), as: UTF8.self)
        #expect(reported.contains(price))
    }

    @Test func `shows no secret`() throws {
        let request =
            #"{"method":"POST","url":"https://shop.example.com/secret-path","#
            + #""headers":{"Authorization":"of the shop","X-Shop":"of {order_id}"}}"#
        let secret = TestSecret.signing(43)
        let bot = BotDocument.bot(["secret": "\"\(secret)\"", "functions": "[\(BotDocument.function(["request": request]))]"])
        let configuration = try directory.configuration(members: #""allow_insecure_secrets":true,"bots":[\#(bot)]"#)
        let shown = String(decoding: configuration.shown.value.serialized(), as: UTF8.self) + "\(configuration.settings)"
        for hidden in [secret, "of the shop", "of {order_id}", "secret-path"] { #expect(!shown.contains(hidden), "\(hidden)") }
        #expect(shown.contains("https://shop.example.com/•••"))
    }
}
