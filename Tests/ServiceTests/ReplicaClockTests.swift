import Core
import HTTPClient
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Service

/// Two replicas on one database, one with a clock that is two hours off: keys and tickets issued or revoked on one are treated alike on the
/// other.
@Suite struct ReplicaClockTests {
    private static let skews: [Int64] = [-7_200_000, 7_200_000]
    /// Far more than the error of a measured offset on a busy machine, and half of the lifetime of a bot's ticket.
    private static let aWhileSeconds: UInt64 = 300

    private final class Replicas {
        let (right, wrong): (ServiceGraph, ServiceGraph)
        let wrongClocks: Clocks
        /// The backend of the app `bank`, which allows every user in backend mode.
        private let company: ScriptedServer
        private let fixture: BotFixture
        private let place: PostgresSchemaFixture

        /// - Parameters:
        ///   - ahead: the offset of the clock of `wrong`, in milliseconds.
        ///   - backend: the base URL of the bot's functions.
        init(_ ahead: Int64, backend: String = "http://127.0.0.1:9") throws {
            company = try ScriptedServer(.everyRequest(.respond(200)))
            let url = company.url(BackendFixture.path)
            let verify = #","verify":{"mode":"backend","url":"\#(url)","secret":{"file":"secrets/backend-5.whsec"},"timeout_ms":10000}"#
            let (fixture, place) = (try BotFixture(bankVerify: verify), try PostgresSchemaFixture())
            let clocks = fixture.clocks
            wrongClocks = Clocks(
                unixSeconds: { clocks.unixMilliseconds().advanced(by: ahead).seconds },
                unixMilliseconds: { clocks.unixMilliseconds().advanced(by: ahead) }, monotonicNanoseconds: clocks.monotonicNanoseconds)
            let configuration = try fixture.configuration([BotFixture.bot(backend, apps: ["shop", "bank"])])
            let (rightStore, wrongStore) = (try place.store(), try place.store(aheadMilliseconds: ahead))
            right = try ServiceGraph(configuration, logger: fixture.log.logger, clocks: clocks) { rightStore }
            wrong = try ServiceGraph(configuration, logger: fixture.log.logger, clocks: wrongClocks) { wrongStore }
            (self.fixture, self.place) = (fixture, place)
        }

        deinit {
            for graph in [right, wrong] {
                graph.bots.close()
                graph.backends.close()
                graph.admin.stop()
                graph.store.close()
            }
        }

        /// Advances both clocks.
        func pass() { fixture.pass(milliseconds: aWhileSeconds * 1000) }
    }

    private func administer(_ graph: ServiceGraph, path: String, body: String) -> ReceivedResponse {
        InProcessClient(graph.adminRouter).send(.post, path, headers: AdminCases.authorization, body: Array(body.utf8))
    }

    private func status(_ graph: ServiceGraph, _ key: String) throws -> Int {
        InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: try BackendCaller.body(key: key)).status
    }

    /// Sends a customer's request to the public listener.
    private func ask(_ graph: ServiceGraph, path: String, ticket: String? = nil, body: JSONValue) -> ReceivedResponse {
        var headers = AuthorizeCases.jsonType
        headers["Authorization"] = ticket.map { "Bearer \($0)" }
        return InProcessClient(graph.publicRouter).send(.post, path, headers: headers, body: body.serialized())
    }

    /// The members that authenticate a user of `bank`.
    private func credentials(_ more: (String, JSONValue)) throws -> JSONValue {
        .object(JSONObject(try BotPerson.credentials(app: "bank", key: "session-1") + [more]))
    }

    private static let deeds = [
        ("/v1/users/sign-out", #"{"app_id":"shop","user_id":"user-1"}"#), ("/v1/revocations", #"{"app_id":"shop","user_id":"user-1"}"#),
        ("/v1/revocations", #"{"app_id":"shop","all":true}"#),
    ]

    /// Otherwise a replica that is ahead would also revoke keys of the next hours, and one that is behind would miss those of the last
    /// hours.
    @Test(arguments: skews, deeds) func `a revocation until now applies to keys issued until now`(
        ahead: Int64, deed: (path: String, body: String)
    ) throws {
        let replicas = try Replicas(ahead)
        let earlier = try TestKey(issuedAt: TestTime.now - Self.aWhileSeconds).text()
        #expect(try status(replicas.right, earlier) == 200)
        let answer = administer(replicas.wrong, path: deed.path, body: deed.body)
        #expect(answer.status / 100 == 2, "\(answer.text)")
        let bound = UnixSeconds(rawValue: UInt64(try #require(answer.json["issued_before"]?.integer)))
        #expect(bound.offset(from: TestTime.now).magnitude < Self.aWhileSeconds)
        replicas.right.revocations.refresh()
        #expect(try status(replicas.right, earlier) == 403)
        replicas.pass()
        #expect(try status(replicas.right, TestKey(issuedAt: TestTime.now + Self.aWhileSeconds).text()) == 200, "of who signs in again")
    }

    /// The keys of the admin listener and of relays.
    @Test(arguments: skews) func `a key minted after a sign-out is valid`(ahead: Int64) throws {
        let replicas = try Replicas(ahead)
        #expect(administer(replicas.right, path: "/v1/users/sign-out", body: #"{"app_id":"shop","user_id":"user-1"}"#).status == 200)
        replicas.pass()
        let minted = administer(replicas.wrong, path: "/v1/keys", body: #"{"app_id":"shop","user_id":"user-1"}"#)
        #expect(try status(replicas.right, #require(minted.json["security_key"]?.text)) == 200)
        let relayed = replicas.wrong.mintKey(clocks: replicas.wrongClocks)("shop", "user-1")
        #expect(try status(replicas.right, #require(relayed)) == 200)
    }

    /// A bot starts on one replica and calls another one.
    @Test(arguments: skews) func `a bot's ticket is valid on each replica`(ahead: Int64) throws {
        let backend = try ScriptedServer(.everyRequest(.json(200, "{}")))
        defer { backend.stop() }
        let replicas = try Replicas(ahead, backend: backend.url(""))
        // Old enough for both clocks.
        let key = try TestKey(issuedAt: TestTime.now - 20_000).text()
        let body: JSONValue = [
            "app_id": "shop", "user_id": "user-1", "security_key": .string(key), "fields": ["city": "Berlin"],
        ]
        let started = ask(replicas.wrong, path: "/bots/orders/start", body: body)
        let ticket = try #require(started.json["ticket"]?.text, "\(started.text)")
        let authorization = ["Authorization": "Bearer \(ticket)"]
        for graph in [replicas.right, replicas.wrong] {
            let called = InProcessClient(graph.publicRouter).send(
                .get, "/bots/orders/functions/get_order_list", headers: authorization)
            #expect(called.status == 200, "\(called.text)")
        }
    }

    /// Without a readable key the time of the call decides: a registration before the change ends, and one after it stays.
    @Test(arguments: skews, deeds) func `the time of a device in backend mode is by the database's clock`(
        ahead: Int64, deed: (path: String, body: String)
    ) throws {
        let replicas = try Replicas(ahead)
        let registration = try BackendCaller.body(BackendCaller.pushToken, app: "bank", key: "session-1")
        func register() -> ReceivedResponse {
            InProcessClient(replicas.wrong.publicRouter).send(.post, BackendCaller.pushToken, body: registration)
        }
        func devices() throws -> Int { try replicas.right.store.devices(DeviceFilter(appID: "bank"), after: nil, limit: 9).count }
        #expect(register().text == PushTokenCases.registered)
        replicas.pass()
        let answer = administer(replicas.right, path: deed.path, body: deed.body.replacing("shop", with: "bank"))
        #expect(answer.status / 100 == 2, "\(answer.text)")
        #expect(try devices() == 0)
        replicas.pass()
        #expect(register().text == PushTokenCases.registered)
        #expect(try devices() == 1)
    }

    /// The customer confirms on another replica than the one that requested the confirmation.
    @Test(arguments: skews) func `a confirmation ends with a sign-out and not before`(ahead: Int64) throws {
        let backend = try ScriptedServer(.everyRequest(.json(200, "{}")))
        defer { backend.stop() }
        let replicas = try Replicas(ahead, backend: backend.url(""))
        func confirmation() throws -> String {
            let started = ask(replicas.wrong, path: "/bots/orders/start", body: try credentials(("fields", ["city": "Berlin"])))
            let ticket = try #require(started.json["ticket"]?.text, "\(started.text)")
            let asked = ask(replicas.right, path: "/bots/orders/functions/cancel_order", ticket: ticket, body: ["order_id": "7"])
            return try #require(asked.json["confirmation"]?.text, "\(asked.text)")
        }
        func confirm(_ text: String) throws -> ReceivedResponse {
            ask(replicas.wrong, path: "/bots/orders/confirm", body: try credentials(("confirmation", .string(text))))
        }
        let (first, second) = (try confirmation(), try confirmation())
        #expect(try confirm(first).status == 200)
        #expect(try confirm(first).status == 200, "the answer is kept")
        #expect(backend.requests.count == 1)
        replicas.pass()
        #expect(administer(replicas.right, path: "/v1/users/sign-out", body: #"{"app_id":"bank","user_id":"user-1"}"#).status == 200)
        replicas.wrong.revocations.refresh()
        let refusal = CallRefusal.foreignConfirmation("revoked").response
        #expect(try confirm(second).text == String(decoding: refusal.body, as: UTF8.self))
        #expect(backend.requests.count == 1)
        replicas.pass()
        #expect(try confirm(confirmation()).status == 200)
        #expect(backend.requests.count == 2)
    }
}
