import HTTPServer
import JSON
import TestSupport
import Testing

/// More clients than the process may open files for.
@Suite struct DescriptorTests {
    private static let clients = 60

    /// A server that may have so many files more open than it needs to serve at all.
    private func server(free: Int, _ changes: JSONObject = [:]) throws -> RunningServer {
        let usual = try RunningServer(Workspace(changes))
        // The fewest of some looks: now and then a file is just being read.
        let counts = try (0..<5).map { _ in
            let open = try Command("sh", "-c", "ls /proc/\(usual.process.identifier)/fd | wc -l").output
            return try #require(Int(open.filter(\.isNumber)))
        }
        return try RunningServer(Workspace(changes), descriptors: try #require(counts.min()) + free)
    }

    /// Nobody waits, nothing spins: what would have been accepted again and again has been answered.
    @Test(arguments: [6, 9, 12])
    func `answers receivers it cannot accept`(_ free: Int) throws {
        let server = try server(free: free)
        let clients = try (0..<Self.clients).map { _ in try SocketClient(server.publicAddress) }
        var statuses: [Int: Int] = [:]
        for client in clients { statuses[try answer(client), default: 0] += 1 }
        // How many of each depends on who takes the spare descriptor: without it, idle connections make room.
        #expect(Set(statuses.keys) == [200, 503], "\(statuses)")
        let line = try server.process.errors.line(containing: "no file descriptor left").text
        #expect(line.contains("LimitNOFILE="))
        #expect(line.contains("max_connections"))
        #expect(try server.stop() == .exit(0))
        let reported = try server.process.errors.text().split(separator: "\n").count { $0.contains("no file descriptor left") }
        #expect(reported == 1)
    }

    /// Threads of the HTTP library accept nothing after a shortage until one of their own connections ends, here for as long as the test takes.
    @Test func `who comes later is answered too`() throws {
        let server = try server(free: 12)
        let clients = try fill(server.publicAddress)
        for _ in 0..<3 {
            #expect(try checksAgain(server))
            #expect(try [200, 503].contains(answer(SocketClient(server.publicAddress))))
        }
        #expect(try server.stop() == .exit(0))
        withExtendedLifetime(clients) {}
    }

    /// Waits until two threads have woken four times: each listener has one that looks four times a second for who waits.
    private func checksAgain(_ server: RunningServer) throws -> Bool {
        let before = try wakes(server)
        return eventually {
            let now = (try? wakes(server)) ?? [:]
            return now.count { $0.value >= before[$0.key, default: 0] + 4 } >= 2
        }
    }

    /// How often each thread of the server has waited for something, by its file (proc_pid_status(5)).
    private func wakes(_ server: RunningServer) throws -> [String: Int] {
        let text = try Command("sh", "-c", "grep -H ^voluntary /proc/\(server.process.identifier)/task/*/status").output
        var wakes: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == ":" || $0 == "\t" }
            if let file = words.first, let count = words.last.flatMap({ Int($0) }) { wakes[String(file)] = count }
        }
        return wakes
    }

    /// What is freed by connections that are no business of those threads.
    @Test(arguments: [false, true])
    func `uses descriptors that others have freed`(onUnixSockets: Bool) throws {
        let server = try server(free: 12, onUnixSockets ? Workspace.unixListeners : [:])
        var operators = try (0..<6).map { _ in try SocketClient(server.adminAddress) }
        for client in operators { _ = try answer(client) }
        let clients = try fill(server.publicAddress)
        operators.removeAll()
        #expect(eventually { (try? answer(SocketClient(server.publicAddress))) == 200 })
        #expect(try server.stop() == .exit(0))
        withExtendedLifetime(clients) {}
    }

    @Test func `serves again when there are some`() throws {
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

    /// The status of the answer that a client gets.
    private func answer(_ client: SocketClient) throws -> Int {
        do {
            try client.send("GET /livez HTTP/1.1\r\nHost: test\r\n\r\n")
            return try client.readResponse().status
        } catch SocketClient.Failure.reset, SocketClient.Failure.closed {
            // A client that sends after it was turned away may lose its answer to a reset.
            return 503
        }
    }
}
