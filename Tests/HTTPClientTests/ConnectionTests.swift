import TestSupport
import Testing
import Threading

@testable import HTTPClient

@Suite struct ConnectionTests {
    @Test func `keeps connections open`() throws {
        try withClient(.init(), script: .everyRequest(.respond(200, body: "ok"))) { client, server in
            for number in 1...50 {
                #expect(client.exchange(request(.post, server.url(), body: "\(number)")).text == "ok")
            }
            #expect(server.connectionCount == 1)
            #expect(server.requests.map { $0.text } == (1...50).map(String.init))
        }
    }

    @Test func `opens another connection after an orderly close`() throws {
        let closing = ScriptedStep.respond(200, headers: ["Connection: close"])
        try withClient(.init(), script: .connections([[.readRequest, .respond(200), .readRequest, closing]])) { client, server in
            for _ in 1...6 { #expect(client.exchange(request(server.url())).status == 200) }
            #expect(server.connectionCount == 3)
            #expect(server.requests.count == 6)
        }
    }

    @Test func `repeats a request lost with a persistent connection`() throws {
        try withClient(.init(), script: .connections([[.readRequest, .respond(200), .readRequest, .close]])) { client, server in
            #expect(client.exchange(request(.post, server.url(), body: "first")).status == 200)
            // libcurl uses the persistent connection, loses it, and sends the request on a new one.
            #expect(client.exchange(request(.post, server.url(), body: "again")).status == 200)
            #expect(server.requests.map(\.text) == ["first", "again", "again"])
        }
    }

    @Test func `does not repeat a request on a new connection`() throws {
        let settings = ClientSettings(keepsConnections: false)
        try withClient(settings, script: .connections([[.readRequest, .respond(200)], [.readRequest, .close]])) { client, server in
            #expect(client.exchange(request(.post, server.url(), body: "first")).status == 200)
            #expect(client.failure(request(.post, server.url(), body: "once")) == .closedEarly)
            #expect(server.requests.map(\.text) == ["first", "once"])
            #expect(server.requests.map { $0.header("Connection") } == ["close", "close"])
        }
    }

    @Test(arguments: [1, 4])
    func `limits connections to a host`(limit: Int) throws {
        let settings = ClientSettings(connectionsPerHost: limit)
        try withClient(settings, script: .everyRequest(.awaitRelease, .respond(200))) { client, server in
            let results = Results()
            for _ in 0..<40 { client.send(request(server.url())) { results.add($0) } }
            #expect(server.waitForRequests(limit))
            server.release(40)
            #expect(results.wait(40).allSatisfy { $0.status == 200 })
            #expect(server.maximumOpenConnections == limit)
            #expect(server.connectionCount == limit)
        }
    }

    @Test func `limits all connections`() throws {
        let settings = ClientSettings(connectionsPerHost: 2, connectionLimit: 2)
        try withClient(settings, script: .everyRequest(.awaitRelease, .respond(200))) { client, first in
            let second = try ScriptedServer(.everyRequest(.awaitRelease, .respond(200)))
            defer { second.stop() }
            let servers = [first, second]
            let results = Results()
            for _ in 0..<20 {
                client.send(request(first.url())) { results.add($0) }
                client.send(request(second.url())) { results.add($0) }
            }
            // A server detects a closed connection late, but one with a held request is certainly open.
            var released = [0, 0]
            for count in 1...40 {
                let expected = min(count + 1, 40)
                #expect(eventually { first.requests.count + second.requests.count >= expected })
                #expect(first.requests.count + second.requests.count == expected)
                let holding = try #require(servers.indices.first { servers[$0].requests.count > released[$0] })
                servers[holding].release()
                released[holding] += 1
            }
            #expect(results.wait(40).allSatisfy { $0.status == 200 })
            #expect(eventually { first.openConnections + second.openConnections <= 2 })
        }
    }

    @Test func `serves other hosts while one hangs`() throws {
        try withClient(.init(connectionsPerHost: 1), script: .everyRequest(.hang)) { client, hanging in
            let other = try ScriptedServer(.everyRequest(.respond(200)))
            defer { other.stop() }
            let results = Results()
            for _ in 0..<10 { client.send(request(hanging.url())) { results.add($0) } }
            #expect(hanging.waitForRequests(1))
            for _ in 0..<10 { #expect(client.exchange(request(other.url())).status == 200) }
            #expect(results.count == 0)
        }
    }

    /// An owner without a limit may use the number in the settings of the client.
    @Test func `the share follows the settings`() {
        var settings = ClientSettings()
        settings.connectionsPerHost = 3
        settings.requestLimit = 5
        #expect(settings.runningBounds.map(\.running) == [256, 3, 3])
        #expect(settings.requestBounds.map(\.running) == [5, 5])
        settings.connectionsPerOwner = 2
        settings.requestsPerOwner = 4
        #expect(settings.runningBounds.map(\.running) == [256, 3, 2])
        #expect(settings.requestBounds.map(\.running) == [5, 4])
    }

    /// Two owners use a host that does not answer one owner's requests.
    @Test func `serves another owner at a host that hangs`() throws {
        let settings = ClientSettings(connectionsPerHost: 3, connectionsPerOwner: 2)
        try withClient(settings, script: .requests([[.awaitRelease, .respond(200)], [.awaitRelease, .respond(200)], [.respond(204)]])) {
            client, server in
            let results = Results()
            for _ in 0..<10 { client.send(request(server.url()), for: "one") { results.add($0) } }
            #expect(server.waitForRequests(2))
            for count in 3...7 {
                let others = Results()
                client.send(request(server.url()), for: "other") { others.add($0) }
                #expect(others.wait(1)[0].status == 204)
                #expect(server.requests.count == count)
            }
            #expect(results.count == 0)
            server.release(2)
            #expect(results.wait(10).count { $0.status == 204 } == 8)
        }
    }

    @Test func `sends from a completion`() throws {
        try withClient(.init(requestLimit: 1), script: .everyRequest(.respond(200))) { client, server in
            let results = Results()
            let next = request(server.url("/next"))
            client.send(request(server.url("/first"))) { result in
                results.add(result)
                client.send(next) { results.add($0) }
            }
            #expect(results.wait(2).allSatisfy { $0.status == 200 })
            #expect(server.requests.map { $0.target } == ["/first", "/next"])
        }
    }
}
