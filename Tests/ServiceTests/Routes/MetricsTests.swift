import Core
import HTTPServer
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct MetricsTests {
    private static let members = #""security_keys":{"longest_life_seconds":7776000}"#

    /// The lines of one metric, without its name.
    private func samples(of metric: String, in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix(metric) }.map { String($0.dropFirst(metric.count)) }
    }

    private func scrape(_ graph: ServiceGraph) -> String {
        InProcessClient(graph.adminRouter).send(.get, "/metrics").text
    }

    @Test func `count every combination of labels`() throws {
        let graph = try ServiceFixture(members: Self.members).graph()
        let client = InProcessClient(graph.publicRouter)
        try graph.store.revoke(.sample(1, appID: "shop", .everyKey, issuedBefore: TestTime.now - 500))
        graph.revocations.refresh()
        for (count, (_, body)) in try requests().enumerated() {
            for _ in 0...count { _ = client.send(.post, "/pyrus/authorize", body: body) }
        }
        let counted = Dictionary(uniqueKeysWithValues: try requests().enumerated().map { ($0.element.0, $0.offset + 1) })
        let labels = counted.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let expected = labels.map { "\($0) \(counted[$0] ?? 0)" }
        let text = scrape(graph)
        let undecided = ["internal_error", "revocations_not_loaded"].map { #"{app="",result="undecided",reason="\#($0)",key_id=""} 0"# }
        let shown = samples(of: "deskgate_authorize_requests_total", in: text)
        #expect(shown.filter { !undecided.contains($0) } == expected)
        #expect(shown.filter { undecided.contains($0) } == undecided)
        #expect(samples(of: "deskgate_revocations ", in: text) == ["1"])
        #expect(samples(of: "deskgate_revocations_refresh_timestamp_seconds ", in: text) != ["0"])
        #expect(samples(of: "deskgate_authorize_duration_seconds_count", in: text) == [" \(counted.values.reduce(0, +))"])
        let spans = ["dropped", "exported", "failed"].map { #"{result="\#($0)"} 0"# }
        #expect(samples(of: "deskgate_trace_spans_total", in: text) == spans)
    }

    @Test func `report the problems`() throws {
        let graph = try ServiceFixture().graph()
        func reported() -> [String] { samples(of: #"deskgate_problems{kind="unknown_app","#, in: scrape(graph)) }
        #expect(reported() == [#"severity="problem"} 0"#, #"severity="warning"} 0"#])
        let body = try AuthorizeCases.json(["app_id": #""bank""#])
        for _ in 0..<5 { _ = InProcessClient(graph.publicRouter).send(.post, "/pyrus/authorize", body: body) }
        #expect(reported() == [#"severity="problem"} 1"#, #"severity="warning"} 0"#])
    }

    @Test func `report the free space on the store's disk`() throws {
        let fixture = try ServiceFixture()
        let text = scrape(try fixture.graph())
        let sizes = ["free", "size"].map { samples(of: "deskgate_disk_\($0)_bytes{file=\"store\"} ", in: text).compactMap { Double($0) } }
        #expect(sizes[0].count == 1 && sizes[1].count == 1 && sizes[0][0] <= sizes[1][0])
        let memory = try ServiceFixture(members: #""store":{"type":"memory"}"#)
        #expect(samples(of: "deskgate_disk_free_bytes{", in: scrape(try memory.graph())).isEmpty)
    }

    /// A request for each series except `undecided`, which only an internal failure counts.
    private func requests() throws -> [(String, [UInt8])] {
        let now = TestTime.now
        func labels(_ app: String, result: String, reason: String, keyID: String) -> String {
            #"{app="\#(app)",result="\#(result)",reason="\#(reason)",key_id="\#(keyID)"}"#
        }
        func body(_ key: TestKey) throws -> [UInt8] { try AuthorizeCases.json(["security_key": "\"\(key.text())\""]) }
        func malformed(_ reason: String, _ body: [UInt8]) -> (String, [UInt8]) {
            (labels("", result: "malformed", reason: reason, keyID: ""), body)
        }
        let keys = try [1, 2].flatMap { number in
            let key = TestKey(keyID: UInt32(number), secret: number)
            var (future, expired, old, wrong, revoked) = (key, key, key, key, key)
            revoked.issuedAt = now - 501
            future.issuedAt = now + 61
            (expired.issuedAt, expired.expiresAt) = (now - 100, now - 61)
            old.issuedAt = now - 7_776_061
            wrong.secret = 9
            return try [
                (labels("shop", result: "authorized", reason: "valid", keyID: "\(number)"), body(key)),
                (labels("shop", result: "denied", reason: "issued_in_future", keyID: "\(number)"), body(future)),
                (labels("shop", result: "denied", reason: "expired", keyID: "\(number)"), body(expired)),
                (labels("shop", result: "denied", reason: "too_old", keyID: "\(number)"), body(old)),
                (labels("shop", result: "denied", reason: "wrong_mac", keyID: "\(number)"), body(wrong)),
                (labels("shop", result: "denied", reason: "revoked", keyID: "\(number)"), body(revoked)),
            ]
        }
        return try keys + [
            (labels("shop", result: "denied", reason: "unknown_key", keyID: ""), body(TestKey(keyID: 3, secret: 3))),
            (labels("", result: "denied", reason: "unknown_app", keyID: ""), AuthorizeCases.json(["app_id": #""bank""#])),
            malformed("missing", AuthorizeCases.json(["user_id": nil])), malformed("null", AuthorizeCases.json(["user_id": "null"])),
            malformed("not_a_string", AuthorizeCases.json(["user_id": "1"])),
            malformed("duplicate", AuthorizeCases.form(extra: "&user_id=x")), malformed("empty", AuthorizeCases.json(["user_id": "\"\""])),
            malformed("too_long", AuthorizeCases.json(["user_id": "\"\(String(repeating: "x", count: 101))\""])),
            malformed("control_character", AuthorizeCases.json(["user_id": #""\n""#])),
            malformed("not_a_security_key", AuthorizeCases.json(["security_key": "\"x\""])), malformed("invalid_json", [UInt8(ascii: "{")]),
            malformed("not_an_object", Array("[]".utf8)), malformed("invalid_form", Array("app_id=%".utf8)),
        ]
    }

    @Test func `count responses by listener and route`() throws {
        try ServiceFixture().withService { service in
            let visitor = try SocketClient(service.publicAddress)
            let body = try AuthorizeCases.json()
            let exchanges: [(HTTPServer.Method, String, [UInt8], Int)] = [
                (.post, "/pyrus/authorize", body, 200), (.post, "/pyrus/authorize", body, 200), (.get, "/pyrus/authorize", [], 405),
                (.post, "/pyrus/authorize", [], 400), (.post, "/pyrus/authorize", [UInt8](repeating: 0, count: 16 * 1024 + 1), 413),
                (.get, "/livez", [], 200), (.get, "/secret", [], 404), (.get, "/other", [], 404),
            ]
            for (method, path, body, status) in exchanges {
                let exchange = ExchangeCase(name: path, method: method, path: path, body: body, status: status, answer: "")
                #expect(try exchange.send(to: visitor).status == status)
            }
            let operatorClient = try SocketClient(service.adminAddress)
            let keys = ExchangeCase(name: "keys", path: "/v1/keys", status: 401, answer: "")
            #expect(try keys.send(to: operatorClient).status == 401)
            let scrape = ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 200, answer: "")
            #expect(try scrape.send(to: operatorClient).status == 200)
            let text = try scrape.send(to: operatorClient).text
            #expect(
                samples(of: "deskgate_http_requests_total", in: text).filter { !$0.hasSuffix(#"code="503"} 0"#) } == [
                    #"{listener="admin",route="/metrics",code="200"} 1"#, #"{listener="admin",route="/v1/keys",code="401"} 1"#,
                    #"{listener="public",route="/livez",code="200"} 1"#, #"{listener="public",route="/pyrus/authorize",code="200"} 2"#,
                    #"{listener="public",route="/pyrus/authorize",code="400"} 1"#,
                    #"{listener="public",route="/pyrus/authorize",code="405"} 1"#,
                    #"{listener="public",route="/pyrus/authorize",code="413"} 1"#, #"{listener="public",route="other",code="404"} 2"#,
                ])
        }
    }

    @Test func `show internal failures before the first one`() throws {
        try ServiceFixture().withService { service in
            let scrape = ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 200, answer: "")
            let text = try scrape.send(to: SocketClient(service.adminAddress)).text
            let samples = samples(of: "deskgate_http_requests_total", in: text)
            #expect(samples.contains(#"{listener="public",route="/pyrus/authorize",code="503"} 0"#))
            #expect(samples.allSatisfy { $0.hasPrefix(#"{listener="public""#) && $0.hasSuffix(#"code="503"} 0"#) })
            #expect(text.contains("\n" + #"deskgate_push_token_requests_total{app="shop",result="limited"} 0"# + "\n"))
        }
    }

    @Test func `report the resources of the process`() throws {
        let text = scrape(try ServiceFixture().graph())
        func value(_ name: String) -> Double { samples(of: "\(name) ", in: text).first.flatMap { Double($0) } ?? 0 }
        #expect(value("process_cpu_seconds_total") > 0)
        #expect(value("process_resident_memory_bytes") > 1_000_000)
        #expect(value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"))
        #expect((1...value("process_max_fds")).contains(value("process_open_fds")))
        #expect(value("process_threads") >= 1)
        let now = Double(SystemClock.unixSeconds().rawValue)
        #expect((now - 86_400...now + 1).contains(value("process_start_time_seconds")))
    }

    @Test func `name the build`() throws {
        let text = scrape(try ServiceFixture().graph())
        #expect(samples(of: "deskgate_build_info", in: text) == [#"{version="\#(Version.current)"} 1"#])
        #expect(samples(of: "deskgate_config_reloads_total", in: text) == [#"{result="failure"} 0"#, #"{result="success"} 0"#])
    }

    /// Only keys with an end can retire, so only they have the series.
    @Test func `report retired keys`() throws {
        let json = ServiceFixture.json().replacing(
            #"app-1.key"}"#, with: #"app-1.key"},"not_after":\#(TestTime.now - 61)"#)
        let graph = try ServiceFixture(json: json).graph()
        let client = InProcessClient(graph.publicRouter)
        for (number, status) in [(1, 403), (1, 403), (2, 200)] {
            let key = try TestKey(keyID: UInt32(number), secret: number).text()
            #expect(client.send(.post, "/pyrus/authorize", body: try AuthorizeCases.json(["security_key": "\"\(key)\""])).status == status)
        }
        let retired = samples(of: "deskgate_authorize_requests_total", in: scrape(graph)).filter { $0.contains("key_retired") }
        #expect(retired == [#"{app="shop",result="denied",reason="key_retired",key_id="1"} 2"#])
    }

    @Test func `an app's name stays in one line`() throws {
        let graph = try ServiceFixture(json: ServiceFixture.json(app: #"a\"b\\c{}"#, keys: [1])).graph()
        #expect(
            samples(of: "deskgate_authorize_requests_total", in: scrape(graph)).contains(
                #"{app="a\"b\\c{}",result="authorized",reason="valid",key_id="1"} 0"#))
    }
}
