import HTTPServer
import TestSupport
import Testing

@Suite struct SmugglingTests {
    private static let post = "POST /pyrus/authorize HTTP/1.1\r\nHost: test\r\n"
    /// The request that the program must not find: no other request has this path, and proxies do not forward it.
    private static let hidden = "GET \(FrontServer.refusedPath) HTTP/1.1\r\nHost: test\r\n\r\n"

    /// A parser that reads these in one way finds one request or none; in the other way it finds the hidden one.
    private static let requests = [
        "\(post)Transfer-Encoding: chunked\r\n\r\n0\n\n\(hidden)",
        "\(post)Transfer-Encoding: chunked\r\n\r\n4\nbody\n0\n\n\(hidden)",
        "\(post)Transfer-Encoding: chunked\r\n\r\n\(chunk("x\n0\n\n\(hidden)"))0\r\n\r\n",
        "\(post)Transfer-Encoding: chunked\r\n\r\n2;\n\(chunk("xx\n0\n\n\(hidden)"))0\r\n\r\n",
        "\(post)Transfer-Encoding: chunked\r\n\r\n0;a\n\n\(hidden)\r\n\r\n0\r\n\r\n",
        "\(post)Transfer-Encoding: chunked\r\n\r\n0\r\nX: y\n\n\(hidden)",
        "\(post)Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\(hidden)",
        "\(post)Transfer-Encoding: xchunked\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
        "\(post)Transfer-Encoding: \u{B}chunked\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
        "\(post)Transfer-Encoding\u{0}: chunked\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
        "\(post)Content-Length: 0\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
        "\(post)X: a\rContent-Length: 0\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
        "\(post)X: a\nContent-Length: 0\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
        "\(post)X: a\u{0}\nContent-Length: 0\r\nContent-Length: \(hidden.utf8.count)\r\n\r\n\(hidden)",
        "\(post)Content-Length: \(hidden.utf8.count)\r\nX: a\u{0}\r\n\r\n\(hidden)",
        "\(post)Content-Length: \(hidden.utf8.count)\r\n\u{0}\r\n\r\n\(hidden)",
        "\(post)Content-Length: \(hidden.utf8.count)\r\n\u{0}\n\r\n\(hidden)",
        "\(post)Content-Length:\r\n \(hidden.utf8.count)\r\n\r\n\(hidden)",
    ]

    private static func chunk(_ text: String) -> String { "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" }

    /// The requests in which the program has found the hidden one, according to the metric of `/readyz`. `isWithoutFindings` detects later
    /// findings.
    private func findings(_ address: ListenAddress, _ server: RunningServer) throws -> [String] {
        try Self.requests.filter { text in
            let before = try answeredReadiness(server)
            let client = try SocketClient(address)
            try? client.send(text)
            client.finishSending()
            _ = try? client.readUntilGone()
            return try answeredReadiness(server) > before
        }
    }

    /// Whether the program has never answered `/readyz`, after all its connections with their requests have ended.
    private func isWithoutFindings(_ server: RunningServer) throws -> Bool {
        #expect(eventually { (try? PushSite.value(of: #"deskgate_http_connections{listener="public"}"#, server)) == 0 })
        return try answeredReadiness(server) == 0
    }

    private func answeredReadiness(_ server: RunningServer) throws -> Int {
        let client = try SocketClient(server.adminAddress)
        try client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let lines = try client.readResponse().text.split(separator: "\n").filter {
            $0.hasPrefix("deskgate_http_requests_total") && $0.contains(#"listener="public""#)
                && $0.contains("route=\"\(FrontServer.refusedPath)\"")
        }
        return lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    @Test func `finds no hidden request`() throws {
        let server = try RunningServer(Workspace())
        #expect(try findings(server.publicAddress, server) == [])
        #expect(try isWithoutFindings(server))
    }

    @Test(arguments: FrontServer.Kind.allCases)
    func `finds no hidden request behind a proxy`(_ kind: FrontServer.Kind) throws {
        let server = try RunningServer(Workspace())
        guard case .tcp(_, let port) = server.publicAddress else { return }
        let front = try FrontServer(kind, before: port)
        #expect(try status(front.address, FrontServer.refusedPath) == 404)
        #expect(try findings(front.address, server) == [])
        front.stop()
        #expect(try isWithoutFindings(server))
    }

    /// Requests of correct clients arrive, also chunked, any number of times.
    @Test(arguments: FrontServer.Kind.allCases)
    func `serves correct clients behind a proxy`(_ kind: FrontServer.Kind) throws {
        let workspace = try Workspace()
        let server = try RunningServer(workspace)
        guard case .tcp(_, let port) = server.publicAddress else { return }
        let front = try FrontServer(kind, before: port)
        let key = try workspace.key()
        let body = String(decoding: SocketClient.body(key), as: UTF8.self)
        for _ in 0..<5 {
            let client = try SocketClient(front.address)
            try client.send("\(Self.post)Transfer-Encoding: chunked\r\nX-Request-Id: r-1\r\n\r\n\(Self.chunk(body))0\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 200)
            #expect(response.headers["x-request-id"] == "r-1")
            #expect(try client.authorize(key).status == 200)
        }
        #expect(try server.stop() == .exit(0))
    }
}
