import HTTPServer
import TestSupport
import Testing

@testable import Configuration
@testable import Service

/// Callers that the public listener rejects before it handles their request.
@Suite struct PublicGateTests {
    private static let elsewhere = #""allow":["192.0.2.0/24","2001:db8::/32"]"#
    private static let here = #""allow":["192.0.2.0/24","127.0.0.0/8"]"#
    private static let wrongNetwork = ExchangeCase.error("forbidden_network", "Calls from this network are not accepted.")
    private static let wrongHeader = ExchangeCase.error("forbidden_header", "This call lacks the required shared header.")

    private static func header(_ secrets: Int...) -> String {
        let list = secrets.map { "\"\(TestSecret.text($0))\"" }.joined(separator: ",")
        return #""shared_header":{"name":"X-Shared-Secret","secret":[\#(list)]}"#
    }

    private static func json(_ listen: String) -> String {
        ServiceFixture.json(listen: listen, members: #""allow_insecure_secrets":true"#)
    }

    private func fixture(_ listen: String) throws -> ServiceFixture { try ServiceFixture(json: Self.json(listen)) }

    private func authorization(_ headers: [String: String] = [:]) throws -> ExchangeCase {
        ExchangeCase(name: "authorize", headers: headers, body: try AuthorizeCases.json(), status: 0, answer: "")
    }

    private func metric(_ service: RunningService, _ prefix: String) throws -> [String] {
        let text = try ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 0, answer: "")
            .send(to: SocketClient(service.adminAddress)).text
        return text.split(separator: "\n").filter { $0.hasPrefix(prefix) && !$0.hasSuffix(" 0") }.map { String($0) }
    }

    @Test(arguments: [
        ("127.0.0.1", elsewhere, 403), ("127.0.0.1", here, 200), ("127.0.0.1", #""allow":["0.0.0.0/0"]"#, 200),
        ("127.0.0.1", #""allow":["::/0"]"#, 403), ("::1", #""allow":["::1/128"]"#, 200), ("::1", #""allow":["0.0.0.0/0"]"#, 403),
    ])
    func `admits the listed networks`(host: String, allow: String, status: Int) throws {
        try fixture(#""host":"\#(host)","port":0,\#(allow)"#).withService { service throws in
            let response = try authorization().send(to: SocketClient(service.publicAddress))
            #expect(response.status == status)
            #expect(status == 200 || response.text == Self.wrongNetwork)
        }
    }

    /// On a dual-stack listener, an IPv4 caller has a mapped address.
    @Test(arguments: [("\"127.0.0.0/8\"", 200), ("\"::/0\"", 403), ("\"::ffff:127.0.0.0/104\"", 200)])
    func `treats a mapped address as IPv4`(network: String, status: Int) throws {
        try fixture(#""host":"::","port":0,"allow":[\#(network)]"#).withService { service throws in
            guard case .tcp(_, let port) = service.publicAddress else { return }
            #expect(try authorization().send(to: SocketClient(.tcp(host: "127.0.0.1", port: port))).status == status)
        }
    }

    @Test func `checks no network on a Unix socket`() throws {
        let fixture = try fixture(#""unix":"public.sock",\#(Self.elsewhere)"#)
        try fixture.withService { service throws in
            #expect(try authorization().send(to: SocketClient(service.publicAddress)).status == 200)
        }
    }

    /// Behind a trusted proxy the client's network is checked; the headers of other callers are ignored.
    @Test(arguments: [
        ("127.0.0.0/8", "X-Forwarded-For: 192.0.2.7\r\n", 200), ("127.0.0.0/8", "X-Forwarded-For: 198.51.100.7\r\n", 403),
        ("127.0.0.0/8", "X-Forwarded-For: 192.0.2.7\r\nx-forwarded-for: 198.51.100.7\r\n", 403),
        ("127.0.0.0/8", "Forwarded: for=198.51.100.7\r\nForwarded: for=192.0.2.7\r\n", 200), ("127.0.0.0/8", "", 403),
        ("127.0.0.0/8", "X-Forwarded-For: 192.0.2.7\r\nForwarded: for=192.0.2.7\r\n", 200),
        ("127.0.0.0/8", "X-Forwarded-For: 192.0.2.7\r\nForwarded: for=192.0.2.8\r\n", 503),
        ("127.0.0.0/8", "X-Forwarded-For: unknown\r\n", 503), ("10.0.0.0/8", "X-Forwarded-For: 192.0.2.7\r\n", 403),
        ("10.0.0.0/8", "Forwarded: for=192.0.2.7\r\n", 403),
    ])
    func `uses the headers of a trusted proxy`(proxies: String, headers: String, status: Int) throws {
        let fixture = try fixture(#""port":0,\#(Self.elsewhere),"trusted_proxies":["\#(proxies)"]"#)
        try fixture.withService { service throws in
            let (client, body) = (try SocketClient(service.publicAddress), try AuthorizeCases.json())
            try client.send("POST /pyrus/authorize HTTP/1.1\r\nHost: localhost\r\n\(headers)Content-Length: \(body.count)\r\n\r\n")
            try client.send(body)
            let response = try client.readResponse()
            #expect(response.status == status)
            #expect(status != 403 || response.text == Self.wrongNetwork)
            #expect(status != 503 || response.headers["retry-after"] == "1")
        }
        let lines = try fixture.log.lines().filter { $0.contains("caller refused") }
        #expect(lines.count == (status == 200 ? 0 : 1))
        #expect(
            lines.allSatisfy { $0.contains(status == 503 ? "reason=forwarded " : "reason=network ") && $0.contains(" peer=127.0.0.1:") })
        let isClientTold = status == 403 && headers.contains("198.51.100.7") && proxies == "127.0.0.0/8"
        #expect(lines.allSatisfy { $0.contains(" client=198.51.100.7") == isClientTold })
    }

    @Test(arguments: [(#"["unix"]"#, 403), (#"["127.0.0.0/8"]"#, 200)])
    func `uses the headers of a proxy on a Unix socket if it is trusted`(proxies: String, status: Int) throws {
        try fixture(#""unix":"public.sock",\#(Self.elsewhere),"trusted_proxies":\#(proxies)"#).withService { service throws in
            func answer(_ client: String) throws -> Int {
                try authorization(["X-Forwarded-For": client]).send(to: SocketClient(service.publicAddress)).status
            }
            #expect(try answer("198.51.100.7") == status)
            #expect(try answer("192.0.2.7") == 200)
        }
    }

    @Test func `applies changed proxies to the next request`() throws {
        func listen(_ proxies: String) -> String { #""port":0,\#(Self.elsewhere)\#(proxies)"# }
        let fixture = try fixture(listen(""))
        try fixture.withService { service throws in
            let client = try SocketClient(service.publicAddress)
            for (proxies, status) in [
                ("", 403), (#","trusted_proxies":["127.0.0.1/32"]"#, 200), (#","trusted_proxies":["10.0.0.0/8"]"#, 403),
                (#","trusted_proxies":["unix","127.0.0.0/8"]"#, 200), ("", 403),
            ] {
                try fixture.directory.scratch.write("config.json", Self.json(listen(proxies)))
                #expect(service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) })
                #expect(try authorization(["X-Forwarded-For": "192.0.2.7"]).send(to: client).status == status)
            }
        }
    }

    @Test func `requires the shared header`() throws {
        try fixture(#""port":0,"# + Self.header(50, 51)).withService { service throws in
            let right = [50, 51].map { TestSecret.text($0) }
            for value in right {
                let client = try SocketClient(service.publicAddress)
                #expect(try authorization(["x-shared-SECRET": value]).send(to: client).status == 200)
            }
            for headers in [
                [:], ["X-Shared-Secret": ""], ["X-Shared-Secret": TestSecret.text(52)], ["X-Shared-Secret": "\(right[0])x"],
                ["X-Shared-Secret": String(right[0].dropLast())], ["X-Shared": right[0]], ["X-Shared-Secret": "\(right[0]), \(right[1])"],
            ] {
                let response = try authorization(headers).send(to: SocketClient(service.publicAddress))
                #expect(response.status == 403)
                #expect(response.text == Self.wrongHeader)
            }
        }
    }

    /// Both are required on every route except the probes; an unknown path is still 404 or 405.
    @Test func `guards every route except the probes`() throws {
        let fixture = try fixture(#""port":0,\#(Self.here),"# + Self.header(50))
        try fixture.withService { service throws in
            let paths = try fixture.graph().publicRouter.routes.filter { !["/livez", "/readyz"].contains("\($0.path)") }.flatMap { route in
                let path = "\(route.path)".split(separator: "/").map { $0.hasPrefix(":") ? "/x" : "/\($0)" }.joined()
                return route.handlers.map { (method: $0.method, path: path) }
            }
            #expect(paths.count >= 4)
            for (method, path) in paths {
                let exchange = ExchangeCase(name: path, method: method, path: path, status: 403, answer: Self.wrongHeader)
                exchange.check(try exchange.send(to: SocketClient(service.publicAddress)))
            }
            func status(_ method: HTTPServer.Method, _ path: String) throws -> Int {
                try ExchangeCase(name: path, method: method, path: path, status: 0, answer: "").send(
                    to: SocketClient(service.publicAddress)
                )
                .status
            }
            #expect(try status(.get, "/livez") == 200)
            #expect(try status(.get, "/readyz") == 200)
            #expect(try status(.get, "/pyrus/authorize") == 405)
            #expect(try status(.post, "/nothing") == 404)
        }
    }

    /// The response arrives although the body is never sent.
    @Test func `rejects before the body is received`() throws {
        try fixture(#""port":0,\#(Self.elsewhere)"#).withService { service throws in
            let client = try SocketClient(service.publicAddress)
            try client.send(
                "POST /pyrus/authorize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 403)
            #expect(response.text == Self.wrongNetwork)
        }
    }

    /// A rejection is counted and logged as such, not as a verdict.
    @Test func `a rejected caller is no denial of the user`() throws {
        let fixture = try fixture(#""port":0,\#(Self.here),"# + Self.header(50))
        try fixture.withService { service throws in
            #expect(try authorization().send(to: SocketClient(service.publicAddress)).status == 403)
            let right = try authorization(["X-Shared-Secret": TestSecret.text(50)])
            #expect(try right.send(to: SocketClient(service.publicAddress)).status == 200)
            #expect(
                try metric(service, "deskgate_authorize_requests_total{") == [
                    #"deskgate_authorize_requests_total{app="shop",result="authorized",reason="valid",key_id="1"} 1"#
                ])
            #expect(try metric(service, "deskgate_refused_callers_total{") == [#"deskgate_refused_callers_total{reason="header"} 1"#])
        }
        let lines = try fixture.log.lines().filter { $0.contains("caller refused") }
        #expect(lines.count == 1)
        #expect(lines[0].hasPrefix("WARN  caller refused reason=header route=/pyrus/authorize peer=127.0.0.1:"))
        #expect(try !fixture.log.text().contains(TestSecret.text(50)))
    }

    /// An internal failure must not look like a denial.
    @Test func `does not reject callers that it cannot identify`() throws {
        let client = InProcessClient(try fixture(#""port":0,\#(Self.elsewhere)"#).graph().publicRouter)
        let response = client.send(.post, "/pyrus/authorize", body: try AuthorizeCases.json())
        #expect(response.status == 503)
        #expect(response.headers["retry-after"] == "1")
    }

    @Test func `the series exist from the start`() throws {
        let text = try InProcessClient(fixture(#""port":0"#).graph().adminRouter).send(.get, "/metrics").text
        for reason in ["network", "forwarded", "certificate", "header"] {
            #expect(text.contains("deskgate_refused_callers_total{reason=\"\(reason)\"} 0\n"))
        }
    }

    @Test func `applies changed rules to the next request`() throws {
        let fixture = try fixture(#""port":0,\#(Self.here),"# + Self.header(50))
        try fixture.withService { service throws in
            func reload(_ listen: String) throws -> Bool {
                try fixture.directory.scratch.write("config.json", Self.json(listen))
                return service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) }
            }
            func statuses() throws -> [Int] {
                let client = try SocketClient(service.publicAddress)
                return try [50, 51].map { try authorization(["X-Shared-Secret": TestSecret.text($0)]).send(to: client).status }
            }
            #expect(try statuses() == [200, 403])
            #expect(try reload(#""port":0,\#(Self.here),"# + Self.header(50, 51)))
            #expect(try statuses() == [200, 200])
            #expect(try reload(#""port":0,\#(Self.here),"# + Self.header(51)))
            #expect(try statuses() == [403, 200])
            #expect(try reload(#""port":0,\#(Self.elsewhere),"# + Self.header(51)))
            #expect(try statuses() == [403, 403])
            #expect(try !reload(#""port":0,"# + Self.header(51)))
            #expect(try statuses() == [403, 403])
        }
    }
}
