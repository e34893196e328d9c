import HTTPServer
import TestSupport
import Testing
import Threading

/// Start and stop, in every state of connections and requests.
@Suite struct LifeCycleTests {
    /// An address of this machine that no other test uses, so that connections to it are refused once its server has stopped.
    private func ownAddress(_ number: Int) -> ListenAddress {
        .tcp(host: "127.0.0.\(10 + number)", port: 0)
    }

    /// Stops on its own thread, and returns when connections are refused.
    private func beginStop(_ fixture: ServerFixture) -> DedicatedThread {
        let thread = startThread { fixture.stop(drainMilliseconds: WaitLimit.programMilliseconds) }
        #expect(eventually { (try? fixture.client()) == nil })
        return thread
    }

    @Test func `answers running requests and closes`() throws {
        let fixture = try ServerFixture(ownAddress(0))
        let held = try fixture.client()
        try held.send(request("POST", path: "/held"))
        let pending = try fixture.held.next()
        let begun = try fixture.client()
        try begun.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try begun.readResponse().status == 100)
        let stopping = beginStop(fixture)

        try begun.send("body")
        let response = try begun.readResponse()
        #expect(response.text == "body")
        #expect(response.headers["connection"] == "close")
        #expect(try begun.isClosedByServer())

        #expect(pending.respond(ServerFixture.text(201, "at last")) == true)
        let last = try held.readResponse()
        #expect(last.text == "at last")
        #expect(last.headers["connection"] == "close")
        stopping.join()
        #expect(try held.isClosedByServer())
        #expect(fixture.server.connectionCount == 0)
    }

    @Test func `answers suspended requests at the end of the drain time`() throws {
        let fixture = try ServerFixture()
        let clients = try (0..<10).map { _ in try fixture.client() }
        for client in clients { try client.send(request("POST", path: "/held")) }
        let pending = try clients.map { _ in try fixture.held.next() }
        fixture.stop(drainMilliseconds: 0)
        for client in clients {
            let response = try client.readResponse()
            #expect(response.status == 503)
            #expect(response.headers["connection"] == "close")
            #expect(response.headers["retry-after"] == "1")
            #expect(try client.isClosedByServer())
        }
        for pending in pending {
            #expect(pending.respond(ServerFixture.text(200, "late")) == false)
        }
    }

    @Test func `interrupts requests still being received at the end of the drain time`() throws {
        let fixture = try ServerFixture()
        let client = try fixture.client()
        try client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readResponse().status == 100)
        fixture.stop(drainMilliseconds: 0)
        _ = try client.readUntilGone()
        #expect(fixture.server.connectionCount == 0)
    }

    @Test func `closes idle connections`() throws {
        let fixture = try ServerFixture()
        let kept = try fixture.client()
        try kept.send(request("GET", path: "/hello"))
        #expect(try kept.readResponse().headers["connection"] != "close")
        let silent = try fixture.client()
        #expect(eventually { fixture.server.connectionCount == 2 })
        fixture.stop()
        #expect(try kept.isClosedByServer())
        #expect(try silent.isClosedByServer())
    }

    @Test(arguments: [1, 2])
    func `stops under load`(threads: Int) throws {
        for _ in 0..<40 {
            let fixture = try ServerFixture(ownAddress(threads), settings: ServerSettings(threads: threads))
            let clients = (0..<3).map { _ in
                startThread {
                    while let client = try? fixture.client() {
                        while (try? client.send(request("POST", path: "/later", body: "body"))) != nil, (try? client.readResponse()) != nil
                        {}
                    }
                }
            }
            #expect(eventually { fixture.observed.count(of: 200) > 10 })
            fixture.stop(drainMilliseconds: 1)
            for client in clients { client.join() }
        }
    }

    // In a process of its own, because other tests open descriptors and start threads concurrently.
    @Test func `leaks neither descriptors nor threads`() async {
        await #expect(processExitsWith: .success) {
            try useServer()
            let lives = 50
            let (descriptors, threads) = (ownDescriptors().count, ownThreadCount())
            for _ in 0..<lives { try useServer() }
            // Not equality: a joined thread may still be listed briefly, also when the threads are counted before.
            #expect(eventually { ownDescriptors().count < descriptors + lives })
            #expect(eventually { ownThreadCount() < threads + lives })
        }
    }
}

/// Starts and stops a server, with a request that is answered later.
private func useServer() throws {
    let fixture = try ServerFixture()
    defer { fixture.stop() }
    let client = try fixture.client()
    try client.send(request("POST", path: "/later", body: "body"))
    #expect(try client.readResponse().status == 200)
}
