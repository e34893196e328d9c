import Core
import Crypto
import HTTPServer
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Access to a running service whose admin listener uses TLS; the certificate has another name than the listener's.
@Suite struct AdminTLSAccessTests {
    private static let own = TLSIdentity(certificate: TestCertificate.shared.certificate, key: TestCertificate.shared.key)

    private let directory: TemporaryDirectory
    private let fixture: AdminDeliverFixture

    init() throws {
        directory = try TemporaryDirectory()
        fixture = try AdminDeliverFixture()
    }

    /// Lists deliveries at a server with one certificate, when the configuration names `Self.own`.
    private func list(
        _ address: ListenAddress, shown: TLSIdentity?, configured: TLSIdentity = own, router: Router? = nil
    ) throws -> AdminAnswer {
        let server =
            try router.map { router in
                try Server(address, router: router, settings: ServerSettings(threads: 1, tls: shown), observer: { _, _ in })
            } ?? fixture.serve(address, tls: shown)
        defer { server.stop(drainMilliseconds: 1000) }
        var configuration = fixture.configuration
        configuration.admin.listener.address = server.address
        configuration.admin.listener.settings.tls = configured
        return try AdminAccess(configuration).perform(
            DeliveryAction.list(DeliveryFilter(), after: nil, limit: 9))
    }

    @Test(arguments: ["127.0.0.1", "127.0.0.2", "localhost", "0.0.0.0", "::1", "::"])
    func `connects to the server with the configured certificate`(_ host: String) throws {
        #expect(try list(.tcp(host: host, port: 0), shown: Self.own).status == 200)
    }

    @Test func `connects to it through a Unix socket`() throws {
        #expect(try list(.unix(path: directory.path("admin.sock")), shown: Self.own).status == 200)
    }

    @Test(arguments: [false, true]) func `sends nothing to a server with another certificate`(_ onUnixSocket: Bool) throws {
        let other = try LoopbackCertificate()
        let address: ListenAddress = onUnixSocket ? .unix(path: directory.path("admin.sock")) : .tcp(host: "127.0.0.1", port: 0)
        let router = Router([
            Route(
                "/v1/deliveries",
                [
                    (
                        .get,
                        { _, responder in
                            Issue.record("the token was sent")
                            return responder.respond(Response(status: 200))
                        }
                    )
                ])
        ])
        let failure = #expect(throws: AdminAccess.Failure.self) {
            try list(address, shown: TLSIdentity(certificate: other.certificate, key: other.key), router: router)
        }
        let text = failure?.description ?? ""
        #expect(
            text.contains(
                " is held by a process that has not proven to know the admin token (it presents another certificate than its file "))
        #expect(text.contains("if the file was renewed, deskgate reload puts it in force; TLS failed: "))
        #expect(text.contains("run deskgate reload if its token or certificate has changed"))
    }

    @Test func `an expired certificate is reported`() throws {
        let made = try TestAuthority().issue(purpose: "serverAuth", isExpired: true)
        let own = TLSIdentity(certificate: made.certificate, key: made.key)
        let failure = #expect(throws: AdminAccess.Failure.self) {
            try list(.tcp(host: "127.0.0.1", port: 0), shown: own, configured: own)
        }
        let text = failure?.description ?? ""
        #expect(text.contains("(its certificate expired at 2"))
        #expect(text.contains("renew it in its file, then run deskgate reload)"))
    }

    @Test func `sends nothing without TLS`() throws {
        #expect(throws: AdminAccess.Failure.self) { try list(.tcp(host: "127.0.0.1", port: 0), shown: nil) }
    }
}
