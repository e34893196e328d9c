import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// A chat that allows no user: `GET /v1/status` reports it with the cause and the remedy.
@Suite struct ClosedChatTests {
    /// The problems without the warnings about the configuration.
    static func problems(_ service: RunningService) throws -> [JSONValue] {
        try #require(try get(service, "/v1/status")["problems"]?.elements).filter { $0["kind"]?.text != "configuration_warning" }
    }

    private static func get(_ service: RunningService, _ path: String) throws -> JSONValue {
        let answer = try ExchangeCase(
            name: path, method: .get, path: path, headers: ["Authorization": "Bearer \(ServiceFixture.token)"], status: 200, answer: ""
        ).send(to: SocketClient(service.adminAddress))
        return try #require(JSONValue(parsing: Array(answer.text.utf8)))
    }

    /// Expects that the explanation of a user without requests begins with a problem.
    private static func explains(_ service: RunningService, _ problem: JSONValue, app: String = "shop") throws {
        let explanation = try get(service, "/v1/explain?app_id=\(app)&user_id=somebody")
        #expect(explanation["outcome"] == "problem")
        #expect(explanation["finding"] == problem["text"])
        #expect(explanation["remedy"] == problem["remedy"])
    }

    /// Expects that the explanation of a valid key has the problem.
    private static func explainsKey(_ service: RunningService, _ problem: JSONValue, outcome: String) throws {
        let key = try TestKey().text()
        let explanation = try get(service, "/v1/explain?app_id=shop&user_id=user-1&security_key=\(key)")
        #expect(explanation["outcome"]?.text == outcome)
        let text = "Authorization answers 200: this key is allowed now. But: \(problem["text"]?.text ?? "")"
        #expect(explanation["finding"]?.text == text)
        #expect(explanation["remedy"] == problem["remedy"])
    }

    static func kinds(_ service: RunningService) throws -> [String] { try problems(service).compactMap { $0["kind"]?.text } }

    static func ask(_ service: RunningService, _ body: [UInt8], times: Int, status: Int) throws {
        for _ in 0..<times {
            let request = ExchangeCase(name: "authorize", body: body, status: status, answer: "")
            #expect(try request.send(to: SocketClient(service.publicAddress)).status == status)
        }
    }

    @Test func `a backend that is down`() throws {
        let fixture = try BackendFixture()
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        try fixture.withService(fixture.json("http://127.0.0.1:\(closed.port)/")) { (service) throws in
            for number in 1...4 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            #expect(try Self.kinds(service) == [])
            for number in 5...20 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            #expect(try Self.kinds(service) == ["authorizations_undecided", "backend_open"])
            let problem = try #require(try Self.problems(service).first)
            #expect(problem["severity"] == "problem")
            #expect(problem["subject"] == "shop")
            let text = "20 of 20 authorizations of shop within 10 minutes could not be decided and were answered 503, "
            let reason = "no connection to the receiver could be made (cannot_connect)"
            let cause = " The last call to http://127.0.0.1:\(closed.port) failed: \(reason)."
            #expect(problem["text"]?.text == text + "15 of them as backend_breaker_open.\(cause)")
            let open = "The backend of shop has failed so often in a row that it is called only at intervals."
            let answered = " Meanwhile users are answered 503 (when_undecided error)."
            #expect(try Self.problems(service).last?["text"]?.text == open + cause + answered)
            #expect(problem["remedy"]?.text?.hasPrefix("Repair the backend of apps[].verify.url") == true)
            try Self.explains(service, problem)
            #expect(try Self.get(service, "/v1/explain?app_id=bank&user_id=somebody")["outcome"] == "ok", "another app is well")
            // The breaker occasionally permits a call: both problems stay.
            fixture.pass(milliseconds: 10_000)
            #expect(try service.ask(user: "user-1").status == 503)
            #expect(try Self.kinds(service) == ["authorizations_undecided", "backend_open"])
            #expect(try service.ask(user: "user-1", app: "bank").status == 200)
            #expect(try Self.kinds(service) == ["authorizations_undecided", "backend_open"], "another app is well")
            fixture.pass(milliseconds: 600_000)
            #expect(try Self.kinds(service).first != "authorizations_undecided")
        }
    }

    @Test func `a backend that has recovered`() throws {
        let fixture = try BackendFixture()
        let bad = [[ScriptedStep]](repeating: [.respond(503)], count: 5)
        try fixture.withService(.requests(bad + [[.respond(200)]])) { (service, _) throws in
            for number in 1...6 { #expect(try service.ask(user: "user-\(number)").status == 503) }
            #expect(try Self.kinds(service) == ["authorizations_undecided", "backend_open"])
            fixture.pass(milliseconds: 10_000)
            for number in 1...3 { #expect(try service.ask(user: "user-\(number)").status == 200) }
            #expect(try Self.kinds(service) == [])
        }
    }

    @Test func `a wrong app_id in the configuration`() throws {
        let fixture = try ServiceFixture(json: ServiceFixture.json(app: "shoq"))
        try fixture.withService { service throws in
            try Self.ask(service, AuthorizeCases.json(), times: 4, status: 403)
            #expect(try Self.kinds(service) == [])
            try Self.ask(service, AuthorizeCases.json(), times: 3, status: 403)
            let problems = try Self.problems(service)
            #expect(problems.map { $0["kind"] } == ["unknown_app"])
            let problem = try #require(problems.first)
            #expect(problem["severity"] == "problem")
            #expect(problem["subject"] == .null)
            let text = "7 authorizations within 10 minutes named an app_id that is not configured (unknown_app) and were answered 403."
            #expect(problem["text"]?.text == text + " The nearest configured app_id is shoq.")
            #expect(problem["remedy"]?.text?.contains(#"did you mean "shoq"?"#) == true)
            try Self.explains(service, problem, app: "shoq")
        }
    }

    /// A value from a caller is not shown, however often it is sent.
    @Test func `an app_id without a similar one`() throws {
        let fixture = try ServiceFixture()
        try fixture.withService { service throws in
            try Self.ask(service, AuthorizeCases.json(["app_id": "\"elsewhere\""]), times: 5, status: 403)
            let problem = try #require(try Self.problems(service).first)
            #expect(problem["text"]?.text?.hasSuffix("(unknown_app) and were answered 403.") == true)
            #expect(!"\(problem)".contains("elsewhere"))
        }
    }

    /// A backend that encloses its keys in quotes.
    @Test func `malformed keys`() throws {
        try ServiceFixture().withService { service throws in
            let quoted = try AuthorizeCases.json(["security_key": #""\"dgk1.x\"""#])
            try Self.ask(service, quoted, times: 4, status: 400)
            #expect(try Self.kinds(service) == [])
            try Self.ask(service, quoted, times: 1, status: 400)
            let problems = try Self.problems(service)
            #expect(problems.map { $0["kind"] } == ["authorizations_malformed"])
            let problem = try #require(problems.first)
            #expect(problem["severity"] == "problem")
            #expect(problem["text"]?.text?.hasSuffix(", 5 of them because a field is not a security key (not_a_security_key).") == true)
            #expect(problem["remedy"]?.text?.contains("wrapped in quotes") == true)
            try Self.explains(service, problem)
            try Self.ask(service, AuthorizeCases.json(), times: 3, status: 200)
            #expect(try Self.problems(service).map { $0["severity"] } == ["warning"])
            #expect(try Self.get(service, "/v1/explain?user_id=somebody")["outcome"] == "ok")
        }
    }

    @Test func `a network that is not in the list`() throws {
        let json = ServiceFixture.json(listen: #""port":0,"allow":["192.0.2.0/24"]"#, members: #""log":{}"#)
        try ServiceFixture(json: json).withService { service throws in
            try Self.ask(service, AuthorizeCases.json(), times: 5, status: 403)
            let problems = try Self.problems(service)
            #expect(problems.map { $0["kind"] } == ["callers_refused"])
            let problem = try #require(problems.first)
            #expect(problem["severity"] == "problem")
            #expect(problem["text"]?.text?.hasPrefix("5 calls within 10 minutes were refused, 5 of them because listen.allow ") == true)
            #expect(problem["remedy"]?.text?.contains("listen.allow") == true)
            try Self.explains(service, problem)
            try Self.explainsKey(service, problem, outcome: "problem")
        }
    }

    @Test func `webhooks with another secret in the address`() throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/webhook.key", TestSecret.text(21))
        let webhook = #""app_id":"shop","webhook":{"secret":{"file":"secrets/webhook.key"}},"#
        let json = ServiceFixture.json().replacing(#""app_id":"shop","#, with: webhook)
        func send(_ service: RunningService, secret: Int, body: [UInt8] = WebhookBody.json(), status: Int) throws {
            let path = "/pyrus/webhook/\(TestSecret.text(secret))"
            let request = ExchangeCase(name: "webhook", path: path, body: body, status: status, answer: "")
            #expect(try request.send(to: SocketClient(service.publicAddress)).status == status)
        }
        try ServiceFixture(in: directory, json: json).withService { service throws in
            for _ in 0..<4 { try send(service, secret: 22, status: 403) }
            #expect(try Self.kinds(service) == [])
            try send(service, secret: 22, status: 403)
            let problem = try #require(try Self.problems(service).first)
            #expect(problem["kind"] == "webhooks_refused")
            #expect(problem["severity"] == "problem")
            #expect(problem["subject"] == .null)
            #expect(problem["text"]?.text?.hasPrefix("5 of 5 webhooks within 10 minutes were refused, 5 of them as path_secret") == true)
            #expect(problem["remedy"]?.text?.contains("the secret of apps[].webhook") == true)
            let text = try #require(problem["text"]?.text)
            let unknown = try Self.get(service, "/v1/explain?app_id=shop&comment_id=7")
            #expect(unknown["finding"]?.text == "No delivery of comment 7 is stored. \(text)")
            #expect(unknown["remedy"] == problem["remedy"])
            for question in ["user_id=somebody", "device_id=phone", "user_id=somebody&device_id=phone"] {
                let answer = try Self.get(service, "/v1/explain?app_id=shop&\(question)")
                #expect(answer["outcome"] == "problem", "\(question)")
                let steps = try #require(answer["steps"]?.elements)
                #expect(steps.contains { $0["text"] == problem["text"] }, "\(question)")
            }
            for comment in 1...3 {
                try send(service, secret: 21, body: WebhookBody.json(comment: ["comment_id": "\(comment)"]), status: 200)
            }
            #expect(try Self.problems(service).map { $0["severity"] } == ["warning"], "others are well")
            for _ in 0..<5 { try send(service, secret: 21, body: Array("{".utf8), status: 400) }
            #expect(try Self.problems(service).map { $0["severity"] } == ["warning"], "three of thirteen are well")
        }
    }

    @Test func `malformed webhooks`() throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/webhook.key", TestSecret.text(21))
        let webhook = #""app_id":"shop","webhook":{"secret":{"file":"secrets/webhook.key"}},"#
        let json = ServiceFixture.json().replacing(#""app_id":"shop","#, with: webhook)
        try ServiceFixture(in: directory, json: json).withService { service throws in
            let path = "/pyrus/webhook/\(TestSecret.text(21))"
            for _ in 0..<5 {
                let request = ExchangeCase(
                    name: "webhook", path: path, body: WebhookBody.json(["ticket_id": nil]), status: 400, answer: "")
                #expect(try request.send(to: SocketClient(service.publicAddress)).status == 400)
            }
            let problem = try #require(try Self.problems(service).first)
            #expect(problem["kind"] == "webhooks_refused")
            #expect(problem["severity"] == "problem")
            #expect(problem["subject"] == "shop")
            #expect(problem["text"]?.text?.contains("5 of them as malformed") == true)
        }
    }

    @Test func `webhooks without an app for them`() throws {
        try ServiceFixture().withService { service throws in
            let request = ExchangeCase(name: "webhook", path: "/pyrus/webhook/x", body: WebhookBody.json(), status: 403, answer: "")
            for _ in 0..<20 { #expect(try request.send(to: SocketClient(service.publicAddress)).status == 403) }
            #expect(try Self.kinds(service) == [])
        }
    }

    @Test func `keys signed with another secret`() throws {
        let fixture = try ServiceFixture()
        let wrong = try AuthorizeCases.json(["security_key": "\"\(TestKey(keyID: 1, secret: 9).text())\""])
        try fixture.withService { service throws in
            try Self.ask(service, AuthorizeCases.json(), times: 1, status: 200)
            try Self.ask(service, wrong, times: 9, status: 403)
            #expect(try Self.kinds(service) == [], "one in ten is let in")
            try Self.ask(service, wrong, times: 1, status: 403)
            let problem = try #require(try Self.problems(service).first)
            #expect(problem["kind"] == "nearly_all_denied")
            #expect(problem["subject"] == "shop")
            let text = "Nearly all users are denied in the chat of shop: 10 of 11 authorizations within 10 minutes were denied, "
            #expect(problem["text"]?.text == text + "100 % of them as wrong_mac.")
            #expect(problem["remedy"]?.text?.hasPrefix("Check in this order: the file") == true)
            try Self.explains(service, problem)
            let finding = try Self.get(service, "/v1/explain?user_id=user-1")["finding"]?.text
            #expect(finding?.hasPrefix("This user was denied 10 times in ten minutes") == true)
            #expect(finding?.hasSuffix(" \(problem["text"]?.text ?? "")") == true)
        }
    }

    /// Shadow mode allows the users.
    @Test func `an app in shadow mode`() throws {
        let end = TestTime.now + 86_400
        let json = ServiceFixture.json().replacing(#""app_id":"shop","#, with: #""app_id":"shop","shadow_until":\#(end),"#)
        let wrong = try AuthorizeCases.json(["security_key": "\"\(TestKey(keyID: 1, secret: 9).text())\""])
        try ServiceFixture(json: json).withService { service throws in
            try Self.ask(service, wrong, times: 20, status: 200)
            #expect(try Self.kinds(service) == [])
        }
    }
}
