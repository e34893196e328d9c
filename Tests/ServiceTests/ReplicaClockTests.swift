import Core
import HTTPClient
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import Bots
@testable import Configuration
@testable import HelpDesk
@testable import Operators
@testable import Service

/// Two replicas on one database, of which one has a clock that is two hours off: what one issues or ends counts alike on the other one.
@Suite struct ReplicaClockTests {
    private static let skews: [Int64] = [-7_200_000, 7_200_000]
    /// Far more than measuring an offset on a busy machine is off by.
    private static let aWhileSeconds: UInt64 = 600

    private final class Replicas {
        let (right, wrong): (ServiceGraph, ServiceGraph)
        let wrongClocks: Clocks
        private let fixture: BotFixture
        private let place: PostgresPlace

        /// - Parameters:
        ///   - ahead: how far the clock of `wrong` is ahead, in milliseconds.
        ///   - backend: the beginning of the addresses of the bot's functions.
        init(_ ahead: Int64, backend: String = "http://127.0.0.1:9") throws {
            let (fixture, place) = (try BotFixture(), try PostgresPlace())
            let clocks = fixture.clocks
            wrongClocks = Clocks(
                unixSeconds: { clocks.unixMilliseconds().advanced(by: ahead).seconds },
                unixMilliseconds: { clocks.unixMilliseconds().advanced(by: ahead) }, monotonicNanoseconds: clocks.monotonicNanoseconds)
            let configuration = try fixture.configuration([BotFixture.bot(backend)])
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

        /// Lets time pass on both.
        func pass() { fixture.pass(milliseconds: aWhileSeconds * 1000) }
    }

    private func administer(_ graph: ServiceGraph, _ path: String, _ body: String) -> ReceivedResponse {
        InProcessClient(graph.adminRouter).send(.post, path, headers: AdminCases.authorization, body: Array(body.utf8))
    }

    private func status(_ graph: ServiceGraph, _ key: String) throws -> Int {
        InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: try BackendCaller.body(key: key)).status
    }

    private static let deeds = [
        ("/v1/users/sign-out", #"{"app_id":"shop","user_id":"user-1"}"#), ("/v1/revocations", #"{"app_id":"shop","user_id":"user-1"}"#),
        ("/v1/revocations", #"{"app_id":"shop","all":true}"#),
    ]

    /// A replica that is ahead would end the keys of the next hours as well, and one that is behind would spare those of the last ones.
    @Test(arguments: skews, deeds) func whatIsRevokedUntilNowEndsNow(ahead: Int64, deed: (path: String, body: String)) throws {
        let replicas = try Replicas(ahead)
        let earlier = try TestKey(issuedAt: TestTime.now - Self.aWhileSeconds).text()
        #expect(try status(replicas.right, earlier) == 200)
        let answer = administer(replicas.wrong, deed.path, deed.body)
        #expect(answer.status / 100 == 2, "\(answer.text)")
        let bound = UnixSeconds(rawValue: UInt64(try #require(answer.json["issued_before"]?.integer)))
        #expect(bound.offset(from: TestTime.now).magnitude < Self.aWhileSeconds)
        replicas.right.revocations.refresh()
        #expect(try status(replicas.right, earlier) == 403)
        replicas.pass()
        #expect(try status(replicas.right, TestKey(issuedAt: TestTime.now + Self.aWhileSeconds).text()) == 200, "of who signs in again")
    }

    /// The keys of the admin listener and of relays.
    @Test(arguments: skews) func aKeyThatIsMintedAfterASignOutCounts(ahead: Int64) throws {
        let replicas = try Replicas(ahead)
        #expect(administer(replicas.right, "/v1/users/sign-out", #"{"app_id":"shop","user_id":"user-1"}"#).status == 200)
        replicas.pass()
        let minted = administer(replicas.wrong, "/v1/keys", #"{"app_id":"shop","user_id":"user-1"}"#)
        #expect(try status(replicas.right, #require(minted.json["security_key"]?.text)) == 200)
        let relayed = replicas.wrong.mintKey(clocks: replicas.wrongClocks)("shop", "user-1")
        #expect(try status(replicas.right, #require(relayed)) == 200)
    }

    /// A bot starts on one replica and calls another one.
    @Test(arguments: skews) func aBotsTicketIsValidOnEachReplica(ahead: Int64) throws {
        let backend = try ScriptedServer(.everyRequest(.json(200, "{}")))
        defer { backend.stop() }
        let replicas = try Replicas(ahead, backend: backend.url(""))
        // Old enough for both clocks.
        let key = try TestKey(issuedAt: TestTime.now - 20_000).text()
        let body: JSONValue = [
            "app_id": "shop", "user_id": "user-1", "security_key": .string(key), "fields": ["city": "Berlin"],
        ]
        let started = InProcessClient(replicas.wrong.publicRouter).send(
            .post, "/bots/orders/start", headers: AuthorizeCases.jsonType, body: body.serialized())
        let ticket = try #require(started.json["ticket"]?.text, "\(started.text)")
        let authorization = ["Authorization": "Bearer \(ticket)"]
        for graph in [replicas.right, replicas.wrong] {
            let called = InProcessClient(graph.publicRouter).send(
                .get, "/bots/orders/functions/get_order_list", headers: authorization)
            #expect(called.status == 200, "\(called.text)")
        }
    }
}
