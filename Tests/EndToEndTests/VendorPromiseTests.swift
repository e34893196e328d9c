import JSON
import Simulators
import TestSupport
import Testing

/// Pictures of authors, quick replies and a company's own model: with the whole program, on both stores.
@Suite struct VendorPromiseTests {
    private static let block = #"JSON^{"options":["Yes","No"]}^NSOJ"#

    @Test(arguments: [false, true]) func `an author's picture reaches the phone, and an unknown author has none`(
        _ isPostgres: Bool
    ) throws {
        let database = isPostgres ? try PostgresServer() : nil
        defer { withExtendedLifetime(database) {} }
        let site = try PushSite()
        try site.configure(["apns": ["content": "author"]], database: database)
        let server = try RunningServer(site.workspace)
        #expect(eventually { (try? PushSite.get(server.publicAddress, "/readyz")) == #"200 {"status":"ready"}"# })
        try site.register(server)
        let client = try SocketClient(server.publicAddress)
        #expect(try WebhookSite.post(1, client) == "accepted")
        #expect(site.simulators.recorder.wait(for: 1, milliseconds: WaitLimit.milliseconds))
        let url = "https://pyrus.com/servicedeskapi/v1/Avatar/1"
        let apple = try #require(site.simulators.recorder.pushes.first).payload
        #expect(apple["aps"]?["mutable-content"] == 1)
        #expect(apple["avatar_url"]?.text == url)
        // An id without a picture, as a hostile sender may write.
        let forged = try jsonObject(String(decoding: WebhookSite.body(2), as: UTF8.self))
            .replacing(["author": ["name": "Ann", "avatar_id": -1]])
        #expect(try WebhookSite.send(JSONValue.object(forged).serialized(), client).status == 200)
        #expect(site.simulators.recorder.wait(for: 2, milliseconds: WaitLimit.milliseconds))
        let later = try #require(site.simulators.recorder.pushes.last).payload
        #expect(later["aps"]?["mutable-content"] == nil)
        #expect(later["avatar_url"] == nil)
        #expect(try server.stop() == .exit(0))
    }

    @Test(arguments: [false, true]) func `quick replies are extracted only for the holder of a ticket`(_ isPostgres: Bool) throws {
        let database = isPostgres ? try PostgresServer() : nil
        defer { withExtendedLifetime(database) {} }
        let site = try BotSite(database: database)
        let start = try site.start()
        func reply(_ text: String, ticket: String) throws -> FunctionResponse {
            try site.phone.post("orders/reply", ["ticket": .string(ticket), "text": .string(text)])
        }
        let answer = try reply("Shall I? \(Self.block) JSON^no", ticket: start.ticket)
        #expect(answer.statusCode == 200)
        #expect(answer.response["text"]?.text == "Shall I? JSON^no")
        #expect(answer.response["options"] == ["Yes", "No"])
        #expect(try reply(Self.block, ticket: "dgbt1.AAAA").statusCode == 401)
        #expect(try site.operate("/v1/users/sign-out", #""user_id":"\#(BotSite.customer)""#) == 200)
        #expect(try reply(Self.block, ticket: start.ticket).statusCode == 403)
        #expect(try site.server.stop() == .exit(0))
        #expect(!(try site.server.process.errors.text()).contains("Shall I"))
    }

    @Test(arguments: [false, true]) func `a company's own model accepts 64 functions`(_ isPostgres: Bool) throws {
        let database = isPostgres ? try PostgresServer() : nil
        defer { withExtendedLifetime(database) {} }
        let site = try BotSite(database: database) { text in
            let configuration = try jsonObject(text)
            guard case .object(let bot)? = configuration["bots"]?.elements.first, let known = bot["functions"]?.elements,
                case .object(let pattern)? = known.first
            else {
                Issue.record("the configuration has no bot with functions")
                return
            }
            let more = (known.count..<64).map { number in
                JSONValue.object(
                    pattern.replacing([
                        "name": .string("list_\(number)"), "description": .string(String(repeating: "Lists orders. ", count: 40)),
                    ]))
            }
            let own = bot.replacing(["functions": .array(known + more), "model": "own"])
            text = String(decoding: JSONValue.object(configuration.replacing(["bots": [.object(own)]])).serialized(), as: UTF8.self)
        }
        let start = try site.phone.ask("orders/start")
        #expect(start.response["tools"]?.elements.count == 64)
        let ticket = try #require(start.text("ticket"))
        let body: JSONValue = ["ticket": .string(ticket), "name": "list_63", "arguments": [:]]
        let answer = try site.phone.post("orders/call", body)
        #expect(answer.statusCode == 200)
        let none: JSONValue = ["ticket": .string(ticket), "name": "list_64", "arguments": [:]]
        #expect(try site.phone.post("orders/call", none).statusCode == 404)
        #expect(try site.server.stop() == .exit(0))
    }
}
