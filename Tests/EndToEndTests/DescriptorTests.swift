import HTTPServer
import TestSupport
import Testing

/// More clients than the process may open files for.
@Suite struct DescriptorTests {
    private static let clients = 60

    /// A server that may have so many files more open than it needs to serve at all.
    private func server(free: Int) throws -> RunningServer {
        let usual = try RunningServer(Workspace())
        let open = try Command("sh", "-c", "ls /proc/\(usual.process.identifier)/fd | wc -l").output
        let count = try #require(Int(open.filter(\.isNumber)))
        return try RunningServer(Workspace(), descriptors: count + free)
    }

    /// Nobody waits, nothing spins: what would have been accepted again and again has been answered.
    @Test(arguments: [3, 6, 12])
    func answersWhomItCannotAccept(_ free: Int) throws {
        let server = try server(free: free)
        let clients = try (0..<Self.clients).map { _ in try SocketClient(server.publicAddress) }
        var statuses: [Int: Int] = [:]
        for client in clients {
            try? client.send("GET /livez HTTP/1.1\r\nHost: test\r\n\r\n")
            // A client that sends after it was turned away may lose its answer to a reset.
            let status = (try? client.readResponse())?.status ?? 503
            statuses[status, default: 0] += 1
        }
        #expect(Set(statuses.keys).isSubset(of: [200, 503]), "\(statuses)")
        #expect((statuses[503] ?? 0) > Self.clients / 2)
        let line = try server.process.errors.line(containing: "no file descriptor left").text
        #expect(line.contains("LimitNOFILE=") && line.contains("max_connections"))
        #expect(try server.stop() == .exit(0))
        let told = try server.process.errors.text().split(separator: "\n").count { $0.contains("no file descriptor left") }
        #expect(told == 1)
    }

    @Test func servesAgainWhenThereAreSome() throws {
        let server = try server(free: 6)
        var clients = try (0..<Self.clients).map { _ in try SocketClient(server.publicAddress) }
        _ = try server.process.errors.line(containing: "no file descriptor left")
        clients.removeAll()
        #expect(eventually { (try? status(server.publicAddress, "/livez")) == 200 })
        #expect(try server.stop() == .exit(0))
    }
}
