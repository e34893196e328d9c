import HTTPServer
import JSON
import TestSupport
import Testing

/// More clients than the process may open descriptors for.
@Suite struct DescriptorTests {
    private static let clients = 60

    /// A server that may open this many more descriptors than it needs.
    private func server(free: Int, _ changes: JSONObject = [:]) throws -> RunningServer {
        let usual = try RunningServer(Workspace(changes))
        // The minimum of several counts, because a file may be open briefly.
        let counts = try (0..<5).map { _ in
            let open = try Command("sh", "-c", "ls /proc/\(usual.process.identifier)/fd | wc -l").output
            return try #require(Int(open.filter(\.isNumber)))
        }
        return try RunningServer(Workspace(changes), descriptors: try #require(counts.min()) + free)
    }

    /// No client waits, and no thread spins: connections that could not be accepted get a response.
    @Test(arguments: [6, 9, 12])
    func `answers clients that it cannot accept`(_ free: Int) throws {
        let server = try server(free: free)
        let clients = try (0..<Self.clients).map { _ in try SocketClient(server.publicAddress) }
        var statuses: [Int: Int] = [:]
        for client in clients { statuses[try answer(client), default: 0] += 1 }
        // The numbers depend on the user of the spare descriptor: without it, idle connections are closed to make room.
        #expect(Set(statuses.keys) == [200, 503], "\(statuses)")
        let line = try server.process.errors.line(containing: "no file descriptor left").text
        #expect(line.contains("LimitNOFILE="))
        #expect(line.contains("max_connections"))
        #expect(try server.stop() == .exit(0))
        let reported = try server.process.errors.text().split(separator: "\n").count { $0.contains("no file descriptor left") }
        #expect(reported == 1)
    }

    /// After a shortage, threads of the HTTP library accept nothing until one of their own connections ends, here for the whole test.
    @Test func `later clients are answered too`() throws {
        let server = try server(free: 12)
        let clients = try fill(server.publicAddress)
        for _ in 0..<3 {
            #expect(try checksAgain(server))
            #expect(try [200, 503].contains(answer(SocketClient(server.publicAddress))))
        }
        #expect(try server.stop() == .exit(0))
        withExtendedLifetime(clients) {}
    }

    /// Waits until two threads have woken four times: each listener has a thread that checks four times a second for waiting clients.
    private func checksAgain(_ server: RunningServer) throws -> Bool {
        let before = try wakes(server)
        return eventually {
            let now = (try? wakes(server)) ?? [:]
            return now.count { $0.value >= before[$0.key, default: 0] + 4 } >= 2
        }
    }

    /// The number of waits of each of the server's threads, by its file (proc_pid_status(5)).
    private func wakes(_ server: RunningServer) throws -> [String: Int] {
        let text = try Command("sh", "-c", "grep -H ^voluntary /proc/\(server.process.identifier)/task/*/status").output
        var wakes: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == ":" || $0 == "\t" }
            if let file = words.first, let count = words.last.flatMap({ Int($0) }) { wakes[String(file)] = count }
        }
        return wakes
    }

    /// Descriptors freed by connections that do not belong to those threads.
    @Test(arguments: [false, true])
    func `uses descriptors that other connections have freed`(onUnixSockets: Bool) throws {
        let server = try server(free: 12, onUnixSockets ? Workspace.unixListeners : [:])
        var operators = try (0..<6).map { _ in try SocketClient(server.adminAddress) }
        for client in operators { _ = try answer(client) }
        let clients = try fill(server.publicAddress)
        operators.removeAll()
        #expect(eventually { (try? answer(SocketClient(server.publicAddress))) == 200 })
        #expect(try server.stop() == .exit(0))
        withExtendedLifetime(clients) {}
    }

    @Test func `serves again when descriptors are available`() throws {
        let server = try server(free: 6)
        var clients = try (0..<Self.clients).map { _ in try SocketClient(server.publicAddress) }
        _ = try server.process.errors.line(containing: "no file descriptor left")
        clients.removeAll()
        #expect(eventually { (try? status(server.publicAddress, "/livez")) == 200 })
        #expect(try server.stop() == .exit(0))
    }

    /// Connects more clients than can be accepted, one after the other, so that each thread of the server gets some.
    private func fill(_ address: ListenAddress) throws -> [SocketClient] {
        try (0..<18).map { _ in
            let client = try SocketClient(address)
            _ = try answer(client)
            return client
        }
    }

    /// The status of a client's response.
    private func answer(_ client: SocketClient) throws -> Int {
        do {
            try client.send("GET /livez HTTP/1.1\r\nHost: test\r\n\r\n")
            return try client.readResponse().status
        } catch SocketClient.Failure.reset, SocketClient.Failure.closed {
            // A client that sends after it was rejected may lose its response to a reset.
            return 503
        }
    }
}
