import TestSupport
import Testing

@testable import Configuration

/// The functions of chatbots, with every possible mistake.
@Suite struct ConfigurationBotFunctionTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try BotDocument.directory()
    }

    @Test(arguments: [
        ("name", #""a b""#, #"name: expected 1 to 64 letters, digits, "-" or "_""#),
        ("description", "", "description: missing; describe for the model what the function does, and when to call it"),
        ("bind", "[]", #"bind: expected an object such as {"customer_id": "user_id"}, found a list"#),
        ("bind", #"{"customer_id":"user"}"#, #"bind.customer_id: expected "user_id" or "app_id""#),
        (
            "bind", #"{"customer_id":"user_id","other":"app_id"}"#,
            #"bind.other: there is no parameter of this name; add it to "parameters"."properties", or remove it here"#
        ),
        (
            "bind", #"{"customer_id":"user_id","order_id":"app_id"}"#,
            "parameters.properties.order_id.maxLength: a bound parameter is not checked; remove this"
        ),
        ("confirm", #""maybe""#, #"confirm: expected one of "user", "model", "none""#),
        ("limits", #"[{"per":"app","max":1,"window_seconds":1}]"#, #"limits[0].per: expected "user" here"#),
        ("request", "", #"request: missing; give {"method": "GET", "url": "https://shop.example.com/orders"}"#),
        (
            "request", #"{"url":"https://shop.example.com/"}"#,
            #"request.method: missing; give "GET" for a function that changes nothing, otherwise "POST", "PUT", "PATCH" or "DELETE""#
        ),
        (
            "request", #"{"method":"get","url":"https://shop.example.com/"}"#,
            #"request.method: expected one of "GET", "POST", "PUT", "PATCH", "DELETE"; did you mean "GET"?"#
        ),
        (
            "request", #"{"method":"POST"}"#,
            "request.url: missing; give the address to call, such as https://shop.example.com/orders/{order_id}"
        ),
        (
            "request", #"{"method":"POST","url":"https://shop.example.com/","timeout_ms":99}"#,
            "request.timeout_ms: expected an integer from 100 to 30000, found 99"
        ),
    ]) func `a function is rejected`(_ key: String, value: String, problem: String) throws {
        #expect(try directory.problems(function: [key: value]) == ["$.bots[0].functions[0].\(problem)"])
    }

    @Test func `a function in OpenAI's form is rejected, and its members are checked`() throws {
        let function = #"{"type":"function","function":\#(BotDocument.function()),"confirm":"maybe"}"#
        #expect(
            try directory.problems(bots: BotDocument.bot(["functions": "[\(function)]"])) == [
                #"$.bots[0].functions[0].function: move its members up, and remove "function" and "type""#,
                #"$.bots[0].functions[0].confirm: expected one of "user", "model", "none""#,
            ])
    }

    @Test(arguments: [
        ("http://shop.example.com/{order_id}", "plain http leaves this machine unprotected; give an https address"),
        ("ftp://shop.example.com/", "expected an https address, found another scheme"),
        ("https://u:p@shop.example.com/", "an address is no place for a user or a password; remove all up to the @"),
        ("https://shop.example.com:0/", "expected a port from 1 to 65535 after the colon of the host"),
        (
            "https://{order_id}/",
            #"{order_id} is not allowed here: only segments of the path and values of the query, as after "?lang=", may be filled in"#
        ),
        ("https://shop.example.com/../x", #"expected a path without "." and "..""#),
        ("https://shop.example.com/{order_id", "a brace has no partner; write {{ or }} for a brace itself"),
        ("https://shop.example.com/{order}", "the function has no parameter order; its parameters are customer_id, order_id, note"),
        ("https://shop.example.com/{note}", #"the parameter note may be missing; add it to "required", or leave it out here"#),
    ]) func `an address is rejected`(_ url: String, _ problem: String) throws {
        let found = try directory.problems(function: ["request": #"{"method":"POST","url":"\#(url)"}"#])
        #expect(found == ["$.bots[0].functions[0].request.url: \(problem)"])
    }

    @Test(arguments: [
        ("Host", #""x""#, "expected the name of a header that Deskgate does not write itself"),
        ("Webhook-Id", #""x""#, "expected the name of a header that Deskgate does not write itself"),
        ("webhook-anything", #""x""#, "expected the name of a header that Deskgate does not write itself"),
        ("Idempotency-Key", #""x""#, "expected the name of a header that Deskgate does not write itself"),
        ("Content-Type", #""x""#, "expected the name of a header that Deskgate does not write itself"),
        ("a b", #""x""#, "expected the name of a header that Deskgate does not write itself"),
        ("X-A", #""a\r\nb""#, "expected 1 to 4096 visible ASCII characters and inner spaces"),
        ("X-A", #"" a""#, "expected 1 to 4096 visible ASCII characters and inner spaces"),
        ("X-A", #""é""#, "expected 1 to 4096 visible ASCII characters and inner spaces"),
        ("X-A", #""{other}""#, "the function has no parameter other; its parameters are customer_id, order_id, note"),
        ("X-A", #""{""#, "a brace has no partner; write {{ or }} for a brace itself"),
        (
            "X-Api-Key", #""in plain text""#,
            #"a secret must not be in the configuration; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, or set "#
                + #""allow_insecure_secrets": true at the top on a laptop"#
        ),
        ("X-A", "7", #"expected {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, found a number"#),
    ]) func `a header is rejected`(_ name: String, value: String, problem: String) throws {
        let request = #"{"method":"POST","url":"https://shop.example.com/","headers":{"\#(name)":\#(value)}}"#
        #expect(try directory.problems(function: ["request": request]) == ["$.bots[0].functions[0].request.headers.\(name): \(problem)"])
    }

    @Test(arguments: [
        ("[]", "parameters: expected a JSON Schema, which is an object"),
        (#"{"properties":{}}"#, #"parameters.type: expected "object", as arguments have names"#),
        (
            #"{"type":"object","properties":{},"anyOf":[{}]}"#,
            "parameters.anyOf: not supported at the root; known here: type, properties, required, additionalProperties, title, description, $defs, $schema, $comment"
        ),
        (
            #"{"type":"object","properties":{},"additionalProperties":true}"#,
            "parameters.additionalProperties: expected false, as a function takes no unknown names; it may be left out"
        ),
        (
            #"{"type":"object","properties":{"a":{"pattern":"x"}}}"#,
            "parameters.properties.a.pattern: this keyword is not supported; docs/BOTS.md lists those that are"
        ),
        (
            #"{"type":"object","properties":{"a b":{}}}"#,
            #"parameters.properties.a b: expected a name of 1 to 64 letters, digits, "-" or "_""#
        ),
        (
            #"{"type":"object","properties":{"__proto__":{}}}"#,
            #"parameters.properties.__proto__: expected a name of 1 to 64 letters, digits, "-" or "_""#
        ),
        (
            #"{"type":"object","properties":{},"required":["a"]}"#,
            #"parameters.required: a is not in "properties", and other names are not allowed"#
        ),
    ]) func `parameters are rejected`(_ parameters: String, _ problem: String) throws {
        let found = try directory.problems(function: [
            "parameters": parameters, "bind": "", "request": #"{"method":"POST","url":"https://shop.example.com/"}"#,
        ])
        #expect(found == ["$.bots[0].functions[0].\(problem)"])
    }

    @Test func `placeholders take plain values`() throws {
        let parameters = #"{"type":"object","properties":{"a":{"type":"array"}},"required":["a"]}"#
        let found = try directory.problems(function: [
            "parameters": parameters, "bind": "", "request": #"{"method":"GET","url":"https://shop.example.com/{a}"}"#,
        ])
        #expect(
            found == [
                "$.bots[0].functions[0].request.url: the parameter a must be of the type string, integer, number or boolean here"
            ])
    }

    @Test(arguments: ["user", "model"]) func `a GET needs no confirmation`(_ confirm: String) throws {
        let found = try directory.problems(function: [
            "confirm": "\"\(confirm)\"", "request": #"{"method":"GET","url":"https://shop.example.com/{order_id}"}"#,
        ])
        #expect(
            found == [
                "$.bots[0].functions[0].confirm: a function whose method is GET changes nothing, so there is nothing to confirm; "
                    + "give another method, or remove this"
            ])
    }

    @Test func `the model's confirmation parameter has a name`() throws {
        let parameters = #"{"type":"object","properties":{"confirmation":{"type":"string"}}}"#
        let request = #"{"method":"POST","url":"https://shop.example.com/"}"#
        let function = ["parameters": parameters, "bind": "", "request": request]
        #expect(try directory.problems(function: function) == [])
        #expect(
            try directory.problems(function: function.merging(["confirm": #""model""#]) { $1 }) == [
                #"$.bots[0].functions[0].parameters: "confirmation" is the name under which the model confirms; give the parameter another one"#
            ])
    }

    /// Only `bind` decides, and neither the method nor the other parameters.
    @Test(
        arguments: [
            (#"{"customer_id":"user_id"}"#, false), (#"{"customer_id":"user_id","note":"app_id"}"#, false),
            (#"{"customer_id":"user_id","note":"user_id"}"#, false), (#"{"customer_id":"app_id"}"#, true), ("{}", true), ("", true),
        ])
    func `a function without a user causes a warning`(_ bind: String, _ isWarned: Bool) throws {
        for method in ["GET", "POST"] {
            let request = #"{"method":"\#(method)","url":"https://shop.example.com/orders/{order_id}"}"#
            let function = BotDocument.function(["bind": bind, "request": request])
            let configuration = try directory.configuration(
                bots: BotDocument.bot(["functions": "[\(BotDocument.function(["name": #""first""#])),\(function)]"]))
            let expected =
                "$.bots[0].functions[1].bind: your backend does not get the user for whom cancel_order is called, so any user can reach the data that the arguments name; "
                + "bind a parameter to \"user_id\", unless that data is public"
            #expect(configuration.warnings(now: TestTime.now).map { "\($0)" } == (isWarned ? [expected] : []))
        }
    }

    @Test func `consent by the model causes a warning`() throws {
        func warnings(_ confirm: String) throws -> [String] {
            try directory.configuration(bots: BotDocument.bot(["functions": "[\(BotDocument.function(["confirm": "\"\(confirm)\""]))]"]))
                .warnings(now: TestTime.now).map {
                    "\($0)"
                }
        }
        #expect(try warnings("user") == [])
        #expect(
            try warnings("model") == [
                "$.bots[0].functions[0].confirm: the model can confirm its own call, also when a text that it has read instructs it to; set \"user\", "
                    + "unless a wrong call of cancel_order does no harm"
            ])
        #expect(
            try warnings("none") == [
                "$.bots[0].functions[0].confirm: there is no confirmation, so a text that the model has read can make it call cancel_order; set \"user\", "
                    + "unless a wrong call does no harm"
            ])
    }
}
