import Glibc
import HTTPServer
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// Whether the process at the admin listener's address is the service.
@Suite struct AdminListenerIdentityTests {
    private func identity(_ fixture: AdminDeliverFixture, at address: ListenAddress) -> AdminListenerIdentity {
        var configuration = fixture.configuration
        configuration.admin.listener.address = address
        return AdminListenerIdentity(configuration.admin)
    }

    @Test func `a service with any of the tokens is recognised`() throws {
        let fixture = try AdminDeliverFixture()
        let server = try fixture.serve(.tcp(host: "127.0.0.1", port: 0))
        defer { server.stop(drainMilliseconds: 1000) }
        var configuration = fixture.configuration
        configuration.admin.listener.address = server.address
        for token in fixture.configuration.admin.tokens {
            configuration.admin.tokens = [token]
            #expect(AdminListenerIdentity(configuration.admin) == .service)
        }
    }

    @Test(arguments: [(404, "it answered with the status 404"), (200, "its proof is wrong or for another address")])
    func `a service of another user is recognised without a token`(_ status: Int, _ reason: String) throws {
        let fixture = try AdminDeliverFixture()
        let stranger = try ScriptedServer(.everyRequest(.respond(status, body: #"{"proofs":["x"]}"#)))
        defer { stranger.stop() }
        let found = identity(fixture, at: .tcp(host: "127.0.0.1", port: stranger.port))
        #expect(found == .unproven(reason))
        #expect(stranger.requests.allSatisfy { $0.header("Authorization") == nil })
    }

    @Test func `a port or a socket without a listener is free`() throws {
        let fixture = try AdminDeliverFixture()
        let closed = try ClosedPort()
        #expect(identity(fixture, at: .tcp(host: "127.0.0.1", port: closed.port)) == .nobody)
        let directory = try TemporaryDirectory()
        #expect(identity(fixture, at: .unix(path: directory.path("admin.sock"))) == .nobody)
    }

    @Test func `a process that accepts no connection is reported as hanging`() throws {
        let fixture = try AdminDeliverFixture()
        let directory = try TemporaryDirectory()
        let path = directory.path("admin.sock")
        let descriptor = try Self.listen(at: path)
        defer { close(descriptor) }
        let waiting = try SocketClient(.unix(path: path))
        let hang = "does not accept the waiting connections: its process hangs; see systemctl status deskgate and the log, and restart it"
        #expect(identity(fixture, at: .unix(path: path)) == .hangs("the admin listener at unix:\(path) \(hang)"))
        let failure = #expect(throws: HealthProbe.Failure.self) { try HealthProbe(.unix(path: path), tls: nil).ask(isReady: false) }
        #expect(failure?.description == "the listener at unix:\(path) \(hang)")
        #expect(failure?.isHang == true)
        withExtendedLifetime(waiting) {}
    }

    /// The caller may have all its connections in use while the service is ready.
    @Test(arguments: ["too_many_connections", "shutting_down"]) func `a refused connection does not show whether the service is ready`(
        _ code: String
    )
        throws
    {
        let service = try ScriptedServer(.everyRequest(.respond(503, body: #"{"error":"\#(code)","message":"x"}"#)))
        defer { service.stop() }
        let probe = HealthProbe(.tcp(host: "127.0.0.1", port: service.port), tls: nil)
        let failure = #expect(throws: HealthProbe.Failure.self) { try probe.ask(isReady: true) }
        let text = "the listener at 127.0.0.1:\(service.port) refuses the request (\(code)); deskgate status shows why"
        #expect(failure?.description == text)
        #expect(failure?.isRefusal == true)
    }

    @Test func `a service that is not ready is running`() throws {
        let service = try ScriptedServer(.everyRequest(.respond(503, body: #"{"status":"not_ready"}"#)))
        defer { service.stop() }
        #expect(try !HealthProbe(.tcp(host: "127.0.0.1", port: service.port), tls: nil).ask(isReady: true).isWell)
    }

    @Test(arguments: [(200, ""), (200, "<html></html>"), (200, #"{"status":"UP"}"#), (404, #"{"error":"not_found"}"#), (503, "")])
    func `another response belongs to another program`(_ status: Int, _ body: String) throws {
        let stranger = try ScriptedServer(.everyRequest(.respond(status, body: body)))
        defer { stranger.stop() }
        let probe = HealthProbe(.tcp(host: "127.0.0.1", port: stranger.port), tls: nil)
        for (isReady, path) in [(false, "/livez"), (true, "/readyz")] {
            let failure = #expect(throws: HealthProbe.Failure.self) { try probe.ask(isReady: isReady) }
            let text = "a program other than Deskgate responds at 127.0.0.1:\(stranger.port) (GET \(path): \(status)); stop it, or "
            #expect(failure?.description.hasPrefix(text) == true)
            #expect(failure?.isStranger == true)
        }
    }

    /// Listens with a backlog of one, and accepts no connection.
    private static func listen(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &name.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let bound = unsafe withUnsafeBytes(of: &name) { bytes in
            unsafe bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        try #require(bound == 0)
        try #require(Glibc.listen(descriptor, 0) == 0)
        return descriptor
    }

    @Test func `without a token or a port the identity is unknown`() throws {
        let fixture = try AdminDeliverFixture()
        #expect(identity(fixture, at: .tcp(host: "127.0.0.1", port: 0)) == .unknown)
        let stranger = try ScriptedServer(.everyRequest(.respond(404)))
        defer { stranger.stop() }
        var configuration = fixture.configuration
        configuration.admin.listener.address = .tcp(host: "127.0.0.1", port: stranger.port)
        configuration.admin.tokens = []
        #expect(AdminListenerIdentity(configuration.admin) == .unknown)
        #expect(stranger.requests.isEmpty)
    }
}
