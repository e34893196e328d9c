import Bytes
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
@testable import Sendbird
@testable import URLPreviews

/// The route for previews with a web server at 127.0.0.1, the only public address here, and a clock that the test sets.
private final class URLPreviewFixture: RouteFixture {
    static let metric = "deskgate_url_previews_total"

    let router: Router
    let registry = MetricsRegistry()
    let log: TestLog
    let server: ScriptedServer
    private let fixture: ServiceFixture
    private let store = RecordingStore()
    private let previewer: URLPreviewer
    private let elapsed = Monitor<UInt64>(0)

    init(_ script: ScriptedServer.Script = page(), previews: Bool = true, limits: CallWindows = URLPreviewRoute.limits) throws {
        let directory = try ConfigurationDirectory()
        for (number, name) in ["chat", "desk"].enumerated() {
            try directory.scratch.write("secrets/\(name)-token", TestSecret.text(number + 50))
        }
        let json = """
            {"listen":{"port":0},"admin":{"port":0,"token":{"file":"secrets/admin-token"}},"log":{},"apps":[
              {"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"help_desk":"sendbird",
               "sendbird":{"chat_token":{"file":"secrets/chat-token"},"desk_token":{"file":"secrets/desk-token"},"url_previews":\(previews)}},
              {"app_id":"other","keys":[{"id":1,"secret":{"file":"secrets/app-2.key"}}]}]}
            """
        fixture = try ServiceFixture(in: directory, json: json, logLevel: .debug)
        log = fixture.log
        let server = try ScriptedServer(script)
        self.server = server
        var rules = PreviewRules()
        rules.ports.insert(server.port)
        rules.admits = { $0 == IPAddress("127.0.0.1") || SpecialAddress($0) == nil }
        rules.milliseconds = WaitLimit.milliseconds
        previewer = URLPreviewer(rules: rules)
        let metrics = HelpDeskMetrics(registry)
        let clocks = Clocks(
            unixSeconds: { TestTime.now }, unixMilliseconds: { [elapsed] in TestTime.now.milliseconds + elapsed.withLock { $0 } })
        let configuration = fixture.configuration
        let shared = HelpDeskState(configuration, authorizer: try configuration.makeAuthorizer(), metrics: metrics)
        let services = HelpDeskServices(
            state: SnapshotReference(shared), revocations: SnapshotReference(.none), store: store, metrics: metrics, clocks: clocks,
            random: RandomPool(),
            logger: log.logger, denials: DenialLog(logger: log.logger, monotonicMilliseconds: clocks.monotonicMilliseconds),
            tracer: TraceExporter(registry: registry, logger: log.logger, clocks: clocks, version: "1", instance: { "" }).tracer,
            client: LazyClient(settings: ClientSettings()), invalidation: CacheInvalidation(), onChange: {})
        let state = SnapshotReference(try SendbirdState(configuration, shared: shared, services: services))
        router = Router([
            URLPreviewRoute(services, previewer, limits: limits) { state.current.app($0)?.settings.makesURLPreviews == true }.route
        ])
    }

    deinit {
        previewer.close()
        server.stop()
        store.close()
    }

    static func page() -> ScriptedServer.Script {
        .everyRequest(
            .respond(200, headers: ["Content-Type: text/html"], body: "<title>Title</title><meta property=og:image content=/i.png>"))
    }

    func wait(until milliseconds: UInt64) { elapsed.update { $0 = milliseconds } }

    func ask(_ url: String?, app: String = "shop", user: String = "user-1", key: String? = nil) throws -> ReceivedResponse {
        client.send(.post, Self.path, body: try Self.body(url, app: app, user: user, key: key))
    }

    static let path = "/sendbird/url-preview"

    static func body(_ url: String?, app: String = "shop", user: String = "user-1", key: String? = nil) throws -> [UInt8] {
        var members: [(String, JSONValue)] = [
            ("app_id", .string(app)), ("user_id", .string(user)),
            ("security_key", .string(try key ?? TestKey(app: app, user: user).text())),
        ]
        if let url { members.append(("url", .string(url))) }
        return JSONValue.object(JSONObject(members)).serialized()
    }
}

/// `POST /sendbird/url-preview`.
@Suite struct URLPreviewRouteTests {
    @Test func `returns the preview`() throws {
        let fixture = try URLPreviewFixture()
        let url = fixture.server.url("/secret-path?q=secret-query")
        let response = try fixture.ask(url)
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "application/json")
        let image = fixture.server.url("/i.png")
        #expect(
            response.text == #"{"type":"SENDBIRD_DESK_URL_PREVIEW","body":{"url":"\#(url)","site_name":"Title","title":"Title","#
                + #""description":"","image":"\#(image)"}}"#)
        #expect(fixture.counts() == [#"{app="shop",result="preview"} 1"#])
        #expect(try !fixture.log.text().contains("secret-"))
    }

    @Test func `reports why there is no preview`() throws {
        let fixture = try URLPreviewFixture(.everyRequest(.respond(404, headers: ["Content-Type: text/html"], body: "no")))
        #expect(try fixture.ask(fixture.server.url()).text == #"{"preview":null,"reason":"status"}"#)
        for url in ["http://127.0.0.2/secret-path", "http://169.254.169.254/", "http://[::1]/", "http://2130706434/"] {
            let response = try fixture.ask(url)
            #expect(response.status == 200)
            #expect(response.text == #"{"preview":null,"reason":"unreachable"}"#)
        }
        #expect(try fixture.ask("http://127.0.0.1:22/").text == #"{"preview":null,"reason":"not_allowed"}"#)
        #expect(
            fixture.counts().sorted() == [
                #"{app="shop",result="not_allowed"} 1"#, #"{app="shop",result="not_public"} 4"#, #"{app="shop",result="status"} 1"#,
            ])
        let log = try fixture.log.text()
        #expect(log.contains("not_public"))
        #expect(!log.contains("127.0.0"))
        #expect(!log.contains("169.254"))
        #expect(!log.contains("secret-path"))
    }

    @Test(arguments: [
        nil, "", "secret-word", "ftp://example.com/", "file:///etc/passwd", "http://user:secret-word@example.com/", "http://",
        "//example.com/",
        "http://exam ple.com/", "http://[fe80::1%25lo]/", "http://example.com/" + String(repeating: "x", count: 10_000), "http://a\u{0}b/",
        "javascript:alert(1)", "http://example.com:99999/",
    ])
    func `the error names the field`(url: String?) throws {
        let fixture = try URLPreviewFixture()
        let response = try fixture.ask(url)
        #expect(response.status == 400)
        #expect(response.text.contains(#""error":"malformed","message":"url is not as expected"#))
        #expect(!response.text.contains("secret-word"))
        #expect(fixture.server.connectionCount == 0)
        #expect(fixture.counts() == [#"{app="shop",result="malformed"} 1"#])
        #expect(try !fixture.log.text().contains("secret-word"))
    }

    @Test func `verifies first`() throws {
        let fixture = try URLPreviewFixture()
        let url = fixture.server.url()
        let denied = #"{"error":"denied","message":"This user may not use the chat."}"#
        for response in [
            try fixture.ask(url, key: TestKey(user: "user-2").text()), try fixture.ask(url, app: "nobody"),
            // An app of another help desk is unknown on this route.
            try fixture.ask(url, app: "other", key: TestKey(app: "other", secret: 2).text()),
            try fixture.ask("not a URL", key: TestKey(user: "user-2").text()),
        ] {
            #expect(response.status == 403)
            #expect(response.text == denied)
        }
        #expect(try fixture.ask(url, key: "").status == 400)
        #expect(fixture.server.connectionCount == 0)
    }

    @Test func `is off by default`() throws {
        let fixture = try URLPreviewFixture(previews: false)
        let response = try fixture.ask(fixture.server.url())
        #expect(response.status == 404)
        #expect(response.text.contains(#""error":"off""#))
        #expect(fixture.server.connectionCount == 0)
        #expect(try fixture.ask(fixture.server.url(), key: TestKey(user: "user-2").text()).status == 403)
    }

    @Test func `limits each person exactly`() throws {
        let rules = [
            LimitRule(per: .user, max: 2, windowMilliseconds: 1000), LimitRule(per: .user, max: 3, windowMilliseconds: 10_000),
        ]
        let fixture = try URLPreviewFixture(limits: CallWindows(rules, personLimit: 10))
        let url = fixture.server.url()
        #expect(try fixture.ask(url).status == 200)
        #expect(try fixture.ask(url).status == 200)
        let limited = try fixture.ask(url)
        #expect(limited.status == 429)
        #expect(limited.headers["retry-after"] == "1")
        #expect(limited.text.contains("too_many_requests"))
        #expect(try fixture.ask(url, user: "user-3").status == 200)
        fixture.wait(until: 999)
        #expect(try fixture.ask(url).status == 429)
        fixture.wait(until: 1000)
        #expect(try fixture.ask(url).status == 200)
        fixture.wait(until: 9999)
        let later = try fixture.ask(url)
        #expect(later.status == 429)
        #expect(later.headers["retry-after"] == "1")
        fixture.wait(until: 10_000)
        #expect(try fixture.ask(url).status == 200)
        #expect(fixture.counts().contains(#"{app="shop",result="limited"} 3"#))
    }

    @Test func `one person's slow pages leave room for others`() throws {
        let page = ScriptedStep.respond(
            200, headers: ["Content-Type: text/html"], body: "<title>Title</title><meta property=og:image content=/i.png>")
        let fixture = try URLPreviewFixture(.requests([[.awaitRelease, page], [.awaitRelease, page], [page]]))
        try fixture.withServer { (address) throws in
            let slow = try (1...2).map { number in
                let client = try SocketClient(address)
                try BackendCaller.begin(
                    client, path: URLPreviewFixture.path, body: URLPreviewFixture.body(fixture.server.url("/\(number)")))
                return client
            }
            #expect(fixture.server.waitForRequests(2))
            let busy = try fixture.ask(fixture.server.url("/3"))
            #expect(busy.status == 503)
            #expect(busy.headers["retry-after"] == "2")
            #expect(try fixture.ask(fixture.server.url("/4"), user: "user-3").status == 200)
            #expect(Set(fixture.counts()) == [#"{app="shop",result="preview"} 1"#, #"{app="shop",result="busy"} 1"#])
            fixture.server.release(2)
            // The response has the route's own time limit, which may have passed on a busy machine.
            for client in slow { _ = try client.readResponse() }
        }
    }

    @Test func `accepts forms`() throws {
        let fixture = try URLPreviewFixture()
        let url = fixture.server.url().replacing(":", with: "%3A")
        let form = "app_id=shop&user_id=user-1&security_key=\(try TestKey().text())&url=\(url)"
        let response = fixture.client.send(.post, "/sendbird/url-preview", body: Array(form.utf8))
        #expect(response.status == 200)
        #expect(response.text.contains("SENDBIRD_DESK_URL_PREVIEW"))
    }
}
