import Core
import HTTPServer
import JSON
import TestSupport
import Testing
import Threading
import Time

@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Service

/// A bot's ticket ends with the security key that started the bot.
@Suite struct BotKeyTests {
    private typealias Deed = BackendRevocationTests.Deed

    private static let order: JSONObject = ["order_id": "7"]
    private static let move: JSONObject = ["order_id": "7", "to": "Home"]
    private static let now = TestTime.now.rawValue

    private static func key(issuedAt: UnixSeconds = TestTime.now, salt: UInt8 = 1) throws -> String {
        try TestKey(issuedAt: issuedAt, salt: salt).text()
    }

    // MARK: Time

    @Test(arguments: [("half a minute", 30), ("a second", 1), ("ten minutes", 600), ("an hour", 3600)] as [(String, UInt64)])
    func `a ticket ends with the key`(_ name: String, _ keyLifetime: UInt64) throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, _ in
            let key = try TestKey(expiresAt: TestTime.now + keyLifetime).text()
            let answer = try service.startBot(key: key)
            let life = min(keyLifetime, 600)
            #expect(answer.json["expires_at"]?.integer == Int64(Self.now + life), "\(name)")
            let ticket = try #require(answer.json["ticket"]?.text)
            let asked = try service.call("cancel_order", .object(Self.order), ticket: ticket)
            #expect(asked.json["expires_at"]?.integer == Int64(Self.now + life), "\(name), the confirmation")
            fixture.pass(milliseconds: life * 1000 - 1)
            #expect(try service.get("get_order_list", ticket: ticket).status == 200, "\(name)")
            fixture.pass(milliseconds: 1)
            #expect(try service.get("get_order_list", ticket: ticket).status == 401, "\(name)")
        }
    }

    /// Authorization accepts such a key, because clocks may differ.
    @Test func `a key that has just expired starts nothing`() throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyConnection(.hang)) { service, _ in
            let key = try TestKey(issuedAt: TestTime.now - 100, expiresAt: TestTime.now - 1).text()
            #expect(try service.ask(key: key).status == 200)
            #expect(try service.startBot(key: key).status == 403)
            #expect(try service.metricLines("deskgate_bot_starts_total") == [#"{bot="orders",result="denied"} 1"#])
            #expect(try fixture.log.text().contains("result=denied reason=expired"))
        }
    }

    // MARK: Revocations

    /// A thief starts the bot with a stolen key before the key, its key id, the user's keys or the app's keys are revoked. The owner has
    /// had another key since. The test output shows arguments and must not contain a key, so `STOLEN` replaces it.
    @Test(
        arguments: [
            ("the key", #""security_key":"STOLEN""#, 200),
            ("the key id", #""key_id":1"#, 403), ("the key id's keys until now", #""key_id":1,"issued_before":\#(now)"#, 200),
            ("the user's keys until now", #""user_id":"user-1","issued_before":\#(now)"#, 200),
            ("the user's keys", #""user_id":"user-1""#, 403), ("all keys until now", #""issued_before":\#(now)"#, 200),
        ] as [(String, String, Int)])
    func `the ticket of a stolen key ends with the key`(_ name: String, members: String, own: Int) throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let stolenKey = try Self.key(issuedAt: TestTime.now - 50)
            let stolen = try service.ticket(key: stolenKey)
            let ticket = try service.ticket(key: Self.key(salt: 2))
            for ticket in [stolen, ticket] { #expect(try service.get("get_order_list", ticket: ticket).status == 200) }
            try Deed("/v1/revocations", members.replacing("STOLEN", with: stolenKey)).perform(on: service)
            #expect(try service.get("get_order_list", ticket: ticket).status == own, "\(name), the owner")
            let count = backend.requests.count
            let attacks = [
                try service.get("get_order_list", ticket: stolen), try service.call("reorder", .object(Self.order), ticket: stolen),
                try service.call("cancel_order", .object(Self.order), ticket: stolen),
                try service.callNeutrally("move_order", .object(Self.move), ticket: stolen),
            ]
            for answer in attacks {
                #expect(answer.status == 403, "\(name)")
                #expect(answer.error == "denied", "\(name)")
            }
            #expect(backend.requests.count == count, "\(name)")
            #expect(try fixture.log.text().contains("result=denied reason=revoked"), "\(name)")
            let refused = try service.storedCalls().filter { $0.function == "reorder" }
            #expect(refused.map(\.outcome) == [.denied], "\(name)")
            #expect(refused.map(\.reason) == ["revoked"], "\(name)")
        }
    }

    /// Deskgate cannot read the key id or the time of issue, so it uses the time of the start instead.
    @Test(
        arguments: [
            ("a sign-out", "/v1/users/sign-out", #""user_id":"user-1""#, 403),
            ("a block", "/v1/users/block", #""user_id":"user-1""#, 403), ("a key id", "/v1/revocations", #""key_id":3"#, 200),
            ("all until now", "/v1/revocations", #""issued_before":\#(now + 1)"#, 403),
            ("all before", "/v1/revocations", #""issued_before":\#(now)"#, 200),
        ] as [(String, String, String, Int)])
    func `a ticket ends when only the backend can check keys`(_ name: String, path: String, members: String, status: Int) throws {
        let company = try ScriptedServer(.everyRequest(.respond(200)))
        defer { company.stop() }
        let fixture = try BotFixture(
            bankVerify:
                #","verify":{"mode":"backend","url":"\#(company.url("/may-chat"))","secret":{"file":"secrets/backend-5.whsec"},"timeout_ms":10000}"#
        )
        let backend = try ScriptedServer(.everyRequest(.json(200, "{}")))
        defer { backend.stop() }
        try fixture.withService([BotFixture.bot(backend.url(""), apps: ["bank"])]) { service in
            let answer = try service.startBot(app: "bank", key: "session-1")
            #expect(answer.json["expires_at"]?.integer == Int64(Self.now + 600), "\(name)")
            let ticket = try #require(answer.json["ticket"]?.text)
            #expect(try service.get("get_order_list", ticket: ticket).status == 200, "\(name)")
            let body = Array(#"{"app_id":"bank",\#(members)}"#.utf8)
            let done = try ExchangeCase(name: name, path: path, headers: AdminCases.authorization, body: body, status: 0, answer: "")
                .send(to: SocketClient(service.adminAddress))
            #expect([200, 201].contains(done.status), "\(name): \(done.text)")
            #expect(try service.get("get_order_list", ticket: ticket).status == status, "\(name)")
        }
    }

    // MARK: Confirmations

    /// The customer signs in again, then confirms a call that a thief requested with the old key.
    @Test(arguments: ["/v1/users/sign-out", "/v1/revocations"])
    func `a confirmation of an earlier ticket is not performed`(_ path: String) throws {
        let fixture = try BotFixture()
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let ticket = try service.ticket()
            let asked = try service.call("cancel_order", .object(Self.order), ticket: ticket)
            let text = try #require(asked.json["confirmation"]?.text)
            let askedOfModel = try service.call("move_order", .object(Self.move), ticket: ticket)
            let textForModel = try #require(askedOfModel.json["confirmation"]?.text)
            #expect([200, 201].contains(try service.operate(path).status))
            fixture.pass(milliseconds: 1000)
            let key = try Self.key(issuedAt: TestTime.now + 1)
            let refused = try service.confirm(text, key: key)
            #expect(refused.status == 403)
            #expect(refused.error == "denied")
            let newTicket = try service.ticket(key: key)
            let refusedOfModel = try service.callNeutrally(
                "move_order", .object(Self.move), ticket: newTicket, confirmation: textForModel)
            #expect(refusedOfModel.status == 403)
            #expect(refusedOfModel.error == "denied")
            #expect(backend.requests.isEmpty)
            for function in ["cancel_order", "move_order"] {
                let reasons = try service.storedCalls().filter { $0.function == function && $0.outcome == .denied }.map(\.reason)
                #expect(reasons == ["revoked"], "\(function)")
            }
            // A new confirmation is performed.
            let again = try service.call("cancel_order", .object(Self.order), ticket: newTicket)
            let newText = try #require(again.json["confirmation"]?.text)
            #expect(try service.confirm(newText, key: key).status == 200)
            #expect(backend.requests.map(\.target) == ["/orders/7/cancel"])
        }
    }

    /// The store is busy when the customer confirms; the sign-out is answered before the change is stored.
    @Test func `a change that waits for the store ends with a sign-out`() throws {
        let fixture = try BotFixture(store: #"{"type":"sqlite","path":"store.sqlite"}"#)
        try fixture.withBot(.everyRequest(.json(200, "{}"))) { service, backend in
            let asked = try service.call("cancel_order", .object(Self.order), ticket: try service.ticket())
            let text = try #require(asked.json["confirmation"]?.text)
            // Stored before the store is busy, but not in force before the response.
            let signOut = Revocation.sample(1, appID: "shop", .user("user-1"), issuedBefore: Revocation.bound(after: TestTime.now))
            try service.graph.store.revoke(signOut, announcing: nil)
            let isBusy = Monitor(false)
            let isReleased = Monitor(false)
            let other = BotCall(
                id: UUIDv7(milliseconds: TestTime.now.milliseconds, random: InlineArray(repeating: 1)), appID: "shop", userID: "user-3",
                bot: "orders", function: "other", argumentsSHA256: "", at: TestTime.now.milliseconds)
            service.graph.store.begin(
                other,
                isAwaited: {
                    isBusy.update { $0 = true }
                    return isReleased.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } ?? false
                }, completion: { _ in })
            #expect(isBusy.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
            let clients = try (0..<2).map { _ in try service.beginConfirm(text) }
            // The second one waits for the first, which the service has already accepted.
            #expect(eventually { service.graph.bots.waiting(for: "orders") == 1 })
            service.graph.revocations.take(.added(signOut))
            isReleased.update { $0 = true }
            for client in clients { #expect(try client.readResponse().status == 403) }
            #expect(backend.requests.isEmpty)
            let denied = try #require(try service.storedCalls().first { $0.outcome == .denied })
            #expect(denied.reason == "revoked")
            #expect(denied.key == nil)
        }
    }
}
