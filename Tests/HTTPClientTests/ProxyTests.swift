import TestSupport
import Testing

@testable import HTTPClient

/// Requests through a proxy, which is a scripted server.
@Suite struct ProxyTests {
    private func withProxy(
        _ script: ScriptedServer.Script, scheme: String = "http", userinfo: String = "", _ body: (Client, ScriptedServer) throws -> Void
    ) throws {
        let proxy = try ScriptedServer(script)
        defer { proxy.stop() }
        let settings = ClientSettings(connectionsPerHost: 1, proxy: "\(scheme)://\(userinfo)127.0.0.1:\(proxy.port)")
        let client = try Client(settings: settings)
        defer { client.close() }
        try body(client, proxy)
    }

    @Test func `sends whole URLs`() throws {
        try withProxy(.everyRequest(.respond(200, body: "by proxy")), userinfo: "user:password@") { client, proxy in
            #expect(client.exchange(request(.post, "http://one.invalid/path?x", body: "body")).text == "by proxy")
            #expect(client.exchange(request("http://two.invalid:81/")).status == 200)
            #expect(proxy.requests.map { $0.target } == ["http://one.invalid/path?x", "http://two.invalid:81/"])
            #expect(proxy.requests[0].header("Host") == "one.invalid")
            #expect(proxy.requests[0].header("Proxy-Authorization") == "Basic dXNlcjpwYXNzd29yZA==")
            #expect(proxy.requests[0].text == "body")
        }
    }

    @Test func `shares the proxy's connections`() throws {
        try withProxy(.everyRequest(.awaitRelease, .respond(200))) { client, proxy in
            let results = Results()
            for number in 0..<10 {
                client.send(request("http://host\(number).invalid/")) { results.add($0) }
            }
            #expect(proxy.waitForRequests(1))
            proxy.release(10)
            #expect(results.wait(10).allSatisfy { $0.status == 200 })
            #expect(proxy.maximumOpenConnections == 1)
        }
    }

    @Test func `requests a tunnel`() throws {
        try withProxy(.everyConnection(.readRequest, .respond(403, body: "no"), .close)) { client, proxy in
            let failure = client.failure(request(.post, "https://host.invalid/path", headers: [("X-Id", "7")], body: "body"))
            #expect(failure == .proxy)
            #expect(failure?.isBeforeSending == true)
            #expect(proxy.requests[0].method == "CONNECT")
            #expect(proxy.requests[0].target == "host.invalid:443")
            #expect(proxy.requests[0].header("X-Id") == nil)
        }
    }

    @Test func `reports a missing proxy`() throws {
        let closed = try ClosedPort()
        defer { withExtendedLifetime(closed) {} }
        let client = try Client(settings: ClientSettings(proxy: "http://127.0.0.1:\(closed.port)"))
        defer { client.close() }
        #expect(client.failure(request("http://host.invalid/")) == .proxy)
    }

    // RFC 1928: the greeting and the choice of no authentication, then the request and the reply.
    @Test(arguments: [(0, nil), (2, .proxy)] as [(UInt8, ClientError?)])
    func `uses SOCKS`(reply: UInt8, error: ClientError?) throws {
        let replying = ScriptedStep.send([5, reply, 0, 1, 127, 0, 0, 1, 0, 80])
        let script = ScriptedServer.Script.everyConnection(
            .readSome, .send([5, 0]), .readSome, replying, .readRequest, .respond(200, body: "by SOCKS"), .hang)
        try withProxy(script, scheme: "socks5h") { client, proxy in
            let result = client.exchange(request("http://host.invalid/path"))
            #expect(result.failure == error)
            #expect(result.status == (error == nil ? 200 : nil))
            #expect(proxy.received[1].prefix(5) == [5, 1, 0, 3, 12])
            #expect(proxy.requests.map { $0.target } == (error == nil ? ["/path"] : []))
        }
    }
}
