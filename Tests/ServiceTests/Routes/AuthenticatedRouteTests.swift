import Core
import Crypto
import HTTPClient
import HTTPServer
import JSON
import Observability
import TestSupport
import Testing
import Threading
import Time
import Tracing

@testable import Configuration
@testable import HelpDesk

/// A route that returns the caller, its app and its payload.
private final class ProvenFixture<Payload: Sendable>: RouteFixture {
    static var metric: String { "things_total" }

    let router: Router
    let registry = MetricsRegistry()
    let log: TestLog
    // Its directory contains the log.
    private let fixture: ServiceFixture
    private let store = RecordingStore()
    let asked = Monitor(0)

    init(of helpDesk: HelpDeskKind? = nil, isLate: Bool = false, reading reader: AuthenticatedReader<Payload>) throws {
        let directory = try ConfigurationDirectory()
        for (number, name) in ["chat", "desk"].enumerated() {
            try directory.scratch.write("secrets/\(name)-token", TestSecret.text(number + 50))
        }
        fixture = try ServiceFixture(
            in: directory,
            json: """
                {"listen":{"port":0},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},"log":{},"apps":[
                  {"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]},
                  {"app_id":"chat","keys":[{"id":1,"secret":{"file":"secrets/app-2.key"}}],"help_desk":"sendbird",
                   "sendbird":{"chat_token":{"file":"secrets/chat-token"},"desk_token":{"file":"secrets/desk-token"}}}]}
                """, logLevel: .debug)
        log = fixture.log
        let (clocks, metrics) = (ServiceFixture.clocks, HelpDeskMetrics(registry))
        let family = registry.counter(Self.metric, "Things.", labels: ["app", "result"])
        let state = HelpDeskState(fixture.configuration, authorizer: try fixture.configuration.makeAuthorizer(), metrics: metrics)
        let services = HelpDeskServices(
            state: SnapshotReference(state), revocations: SnapshotReference(.none), store: store, metrics: metrics, clocks: clocks,
            random: RandomPool(),
            logger: log.logger, denials: DenialLog(logger: log.logger, monotonicMilliseconds: clocks.monotonicMilliseconds),
            tracer: TraceExporter(registry: registry, logger: log.logger, clocks: clocks, version: "1", instance: { "" }).tracer,
            client: LazyClient(settings: ClientSettings()), invalidation: CacheInvalidation(), onChange: {})
        let description = RouteDescription("Things.", answers: [])
        router = Router([
            AuthenticatedRoute(
                "/things/:name/start", of: helpDesk, timeoutMilliseconds: WaitLimit.milliseconds, description: description, services,
                reading: reader,
                count: { result, app, _ in family.child(app ?? "", result).increment() },
                perform: { [asked] caller, payload in
                    asked.update { $0 += 1 }
                    let text = "\(caller.appID) \(caller.userID) \(caller.parameter) \(payload)"
                    let answer = AuthenticatedAnswer(Response(status: 200, headers: [], body: Array(text.utf8)), result: "done")
                    guard isLate else { return .answer(answer) }
                    return .later { complete in
                        startThread { complete(answer) }.detach()
                    }
                }
            ).route
        ])
    }

    deinit { store.close() }

    func ask(_ body: String) -> ReceivedResponse { client.send(.post, "/things/a%2Fb/start", body: Array(body.utf8)) }

    static func json(app: String = "shop", user: String = "user-1", secret: Int = 1, _ more: String = "") throws -> String {
        let key = try TestKey(app: app, user: user, secret: secret).text()
        return #"{"app_id":"\#(app)","user_id":"\#(user)","security_key":"\#(key)"\#(more)}"#
    }
}

/// A request of a person's app, authenticated by its security key.
@Suite struct AuthenticatedRouteTests {
    /// Parses a number or throws.
    @Sendable private static func number(_ object: JSONObject) throws(BodyError) -> Int64 {
        guard let number = object["number"]?.integer else { throw .unexpected(field: "number", expectation: "expected a number") }
        return number
    }

    @Sendable private static func text(_ text: String?) throws(BodyError) -> String {
        guard let text else { throw .unexpected(field: "text", expectation: "it is missing") }
        return text
    }

    @Test(arguments: [false, true]) func `serves apps of every help desk`(isLate: Bool) throws {
        let fixture = try ProvenFixture(isLate: isLate, reading: .object(Self.number))
        let answer = fixture.ask(try ProvenFixture<Int64>.json(#","number":7"#))
        #expect(answer.status == 200)
        #expect(answer.text == "shop user-1 a%2Fb 7")
        let other = fixture.ask(try ProvenFixture<Int64>.json(app: "chat", secret: 2, #","number":8"#))
        #expect(other.status == 200)
        #expect(other.text == "chat user-1 a%2Fb 8")
        #expect(fixture.counts() == [#"{app="chat",result="done"} 1"#, #"{app="shop",result="done"} 1"#])
    }

    @Test(arguments: [HelpDeskKind.pyrus, .sendbird]) func `serves apps of one help desk`(_ kind: HelpDeskKind) throws {
        let fixture = try ProvenFixture(of: kind, reading: .credentials)
        let statuses = try [("shop", 1), ("chat", 2)].map { fixture.ask(try ProvenFixture<Void>.json(app: $0.0, secret: $0.1)).status }
        #expect(statuses == (kind == .pyrus ? [200, 403] : [403, 200]))
        #expect(fixture.asked.withLock { $0 } == 1)
    }

    /// An unauthenticated client learns of no other mistake, and the route's handler is not called.
    @Test func `checks the key first`() throws {
        let fixture = try ProvenFixture(reading: .object(Self.number))
        let denied = #"{"error":"denied","message":"This user may not use the chat."}"#
        for body in [
            try ProvenFixture<Int64>.json(secret: 2), try ProvenFixture<Int64>.json(app: "nobody"),
            try ProvenFixture<Int64>.json(secret: 2, #","number":1"#),
        ] {
            let answer = fixture.ask(body)
            #expect(answer.status == 403)
            #expect(answer.text == denied)
        }
        for body in ["", "{}", "[]", "x", try ProvenFixture<Int64>.json(), #"{"app_id":"shop","user_id":"u","security_key":"x"}"#] {
            #expect(fixture.ask(body).status == 400)
        }
        #expect(fixture.asked.withLock { $0 } == 0)
        let log = try fixture.log.text()
        #expect(log.contains("customer's call route=/things/:name/start result=denied reason=wrong_mac app=shop key_id=1 user_ref="))
        #expect(log.contains("result=malformed reason=bad_number app=shop"))
        #expect(!log.contains("user-1"))
    }

    @Test func `accepts forms if texts are enough`() throws {
        let form = "app_id=shop&user_id=user-1&security_key=\(try TestKey().text())"
        #expect(try ProvenFixture(reading: .credentials).ask(form).text == "shop user-1 a%2Fb ()")
        let text = try ProvenFixture(reading: .text("text", longest: 5, Self.text))
        #expect(text.ask(form + "&text=%C3%A9+1").text == "shop user-1 a%2Fb \u{e9} 1")
        #expect(text.ask(try ProvenFixture<String>.json(#","text":"\u0031""#)).text == "shop user-1 a%2Fb 1")
        for wrong in ["", "&text=", "&text=123456", "&text=%00"] { #expect(text.ask(form + wrong).status == 400) }
        #expect(try ProvenFixture(reading: .object(Self.number)).ask(form + "&number=7").status == 400)
    }
}
