import HTTPServer
import Observability
import POSIX
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct RunningServiceTests {
    private let ready = ExchangeCase(name: "ready", method: .get, path: "/readyz", status: 200, answer: #"{"status":"ready"}"#)

    @Test func `the service logs its start and stop`() throws {
        // No other test uses this address, so connections are refused after the stop.
        let own = #""host":"127.0.0.5","port":0"#
        let fixture = try ServiceFixture(json: ServiceFixture.json(admin: own, listen: own))
        let (publicAddress, adminAddress) = try fixture.withService { ($0.publicAddress, $0.adminAddress) }
        #expect(
            try fixture.log.lines() == [
                #"INFO  serving version=\#(Version.current) public=\#(publicAddress) admin=\#(adminAddress) apps=1"#,
                "INFO  made a new, empty store: it has no revocations and no blocks "
                    + "store=\(fixture.directory.scratch.path("deskgate.db"))",
                "INFO  stopping", "INFO  stopped",
            ])
        #expect(throws: SocketClient.Failure.self) { try SocketClient(publicAddress) }
        #expect(throws: SocketClient.Failure.self) { try SocketClient(adminAddress) }
    }

    @Test func `resolves Unix sockets relative to the file's directory`() throws {
        let fixture = try ServiceFixture(json: ServiceFixture.json(admin: #""unix":"admin.sock""#, listen: #""unix":"public.sock""#))
        let sockets = ["public.sock", "admin.sock"].map { fixture.directory.scratch.path($0) }
        try fixture.withService { service in
            #expect([service.publicAddress, service.adminAddress] == sockets.map { .unix(path: $0) })
            ready.check(try ready.send(to: SocketClient(service.publicAddress)))
        }
        #expect(sockets.map(File.exists) == [false, false])
    }

    @Test func `only the start that creates the store logs it`() throws {
        let fixture = try ServiceFixture()
        for _ in 1...2 { try fixture.withService { _ in } }
        #expect(try fixture.log.lines().count { $0.hasPrefix("INFO  made a new, empty store: ") } == 1)
    }

    @Test(arguments: ["listen", "admin"])
    func `a failed start leaves no open listener`(taken: String) throws {
        try ServiceFixture().withService { other in
            guard case .tcp(_, let port) = other.publicAddress else { return }
            let scratchSocket = #""unix":"free.sock""#
            let fixture = try ServiceFixture(
                json: ServiceFixture.json(
                    admin: taken == "admin" ? #""port":\#(port)"# : scratchSocket,
                    listen: taken == "listen" ? #""port":\#(port)"# : scratchSocket))
            #expect {
                try RunningService(fixture.configuration, logger: fixture.log.logger)
            } throws: {
                "\($0)".hasPrefix("cannot listen on 127.0.0.1:\(port): it is already in use; ")
            }
            #expect(!File.exists(fixture.directory.scratch.path("free.sock")))
            #expect(try fixture.log.lines() == [])
        }
    }
}
