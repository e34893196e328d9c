import HTTPClient
import TestSupport
import Testing

@Suite struct ExchangeTests {
    @Test(arguments: [
        (ClientMethod.get, ""), (.post, "body"), (.post, ""), (.put, "body"), (.put, ""), (.patch, "body"), (.patch, ""), (.delete, ""),
        (.delete, "body"),
    ])
    func `sends the method, target and body`(method: ClientMethod, body: String) throws {
        try withClient(.init(userAgent: "Deskgate/1.2"), script: .everyRequest(.respond(201, body: "made"))) { client, server in
            let response = try client.exchange(
                request(method, server.url("/a?b=c"), headers: [("X-Id", "7"), ("X-Empty", "")], body: body)
            ).get()
            #expect(response.status == 201)
            #expect(response.text == "made")
            #expect(response.httpVersion == .http1)
            #expect(response.totalMicroseconds > 0)
            #expect(response.connectMicroseconds > 0)
            let received = server.requests[0]
            #expect(received.method == method.rawValue)
            #expect(received.target == "/a?b=c")
            #expect(received.text == body)
            #expect(received.header("X-Id") == "7")
            #expect(received.header("X-Empty") == "")
            #expect(received.header("User-Agent") == "Deskgate/1.2")
            #expect(received.header("Content-Type") == nil)
            #expect(
                received.header("Content-Length") == (body.isEmpty && (method == .get || method == .delete) ? nil : "\(body.utf8.count)"))
        }
    }

    @Test func `sends large bodies without 100-continue`() throws {
        try withClient(.init(), script: .everyRequest(.respond(200))) { client, server in
            let body = String(repeating: "x", count: 3 * 1024 * 1024)
            let response = client.exchange(request(.put, server.url(), headers: [("Content-Type", "text/plain")], body: body))
            #expect(response.status == 200)
            #expect(server.requests[0].header("Expect") == nil)
            #expect(server.requests[0].header("Content-Type") == "text/plain")
            #expect(server.requests[0].body.count == body.utf8.count)
        }
    }

    @Test func `a request does not affect the next one`() throws {
        try withClient(.init(), script: .everyRequest(.respond(200, headers: ["Set-Cookie: a=b"]))) { client, server in
            let url = "http://user:password@127.0.0.1:\(server.port)/"
            #expect(client.exchange(request(.delete, url, headers: [("X-Id", "1")], body: "body")).status == 200)
            #expect(client.exchange(request(server.url())).status == 200)
            #expect(server.requests[0].header("Authorization") == "Basic dXNlcjpwYXNzd29yZA==")
            #expect(server.requests[1].method == "GET")
            #expect(server.requests[1].headers.map { $0.name } == ["Host", "User-Agent", "Accept"])
        }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `follows no redirect`(status: Int) throws {
        try withClient(.init(), script: .everyRequest(.respond(status, headers: ["Location: /elsewhere"]))) { client, server in
            let response = try client.exchange(request(.post, server.url(), body: "body")).get()
            #expect(response.status == status)
            #expect(response.header("location") == "/elsewhere")
            #expect(server.requests.count == 1)
        }
    }

    @Test func `finds only headers of the final response`() throws {
        let informational = "HTTP/1.1 100 Continue\r\nX-Early: yes\r\n\r\nHTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n"
        let final = "HTTP/1.1 503 Busy\r\nrEtRy-aFter:  120 \r\nX-Two: a\r\nX-Two: b\r\nTransfer-Encoding: chunked\r\n\r\n"
        let body = "4\r\nbusy\r\n0\r\nX-Trailer: late\r\n\r\n"
        try withClient(.init(), script: .everyRequest(.send(informational + final + body))) { client, server in
            let response = try client.exchange(request(.post, server.url(), body: "body")).get()
            #expect(response.status == 503)
            #expect(response.text == "busy")
            #expect(response.header("Retry-After") == "120")
            #expect(response.header("x-two") == "a")
            #expect(response.header("X-Early") == nil)
            #expect(response.header("X-Trailer") == nil)
        }
    }

    @Test func `accepts responses in pieces`() throws {
        let response = ScriptedStep.response(200, headers: ["X-Test: yes"], body: "in pieces")
        try withClient(.init(), script: .everyRequest(.sendSlowly(response, size: 5, pauseMilliseconds: 1))) { client, server in
            let response = try client.exchange(request(server.url())).get()
            #expect(response.text == "in pieces")
            #expect(response.header("X-Test") == "yes")
        }
    }

    @Test(arguments: [(10, false), (9, true), (0, true)])
    func `truncates bodies at the limit`(limit: Int, isTruncated: Bool) throws {
        try withClient(.init(), script: .everyRequest(.respond(200, body: "0123456789"))) { client, server in
            let response = try client.exchange(request(server.url(), responseBodyLimit: limit)).get()
            #expect(response.status == 200)
            #expect(response.text == "0123456789".prefix(limit))
            #expect(response.isTruncated == isTruncated)
        }
    }

    @Test func `ends endless bodies`() throws {
        let endless = ScriptedStep.sendForever(Array(repeating: UInt8(ascii: "x"), count: 64 * 1024))
        try withClient(.init(), script: .everyRequest(.send("HTTP/1.1 200 OK\r\n\r\n"), endless)) { client, server in
            let response = try client.exchange(request(.post, server.url(), body: "body", responseBodyLimit: 100_000)).get()
            #expect(response.status == 200)
            #expect(response.isTruncated)
            #expect(response.body.count == 100_000)
            #expect(server.waitUntilUnconnected())
        }
    }
}
