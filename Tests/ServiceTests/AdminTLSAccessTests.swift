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

/// Access to a running service whose admin listener uses TLS: the certificate is for another name than the listener's.
@Suite struct AdminTLSAccessTests {
    private static let own = TLSIdentity(certificate: TestCertificate.shared.certificate, key: TestCertificate.shared.key)

    private let directory: TemporaryDirectory
    private let fixture: AdminDeliverFixture

    init() throws {
        directory = try TemporaryDirectory()
        fixture = try AdminDeliverFixture()
    }

    /// Lists deliveries where a server shows one certificate, and the configuration names `Self.own`.
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
    func `asks the server with the certificate of the configuration`(_ host: String) throws {
        #expect(try list(.tcp(host: host, port: 0), shown: Self.own).status == 200)
    }

    @Test func `asks it on a Unix socket`() throws {
        #expect(try list(.unix(path: directory.path("admin.sock")), shown: Self.own).status == 200)
    }

    @Test(arguments: [false, true]) func `asks nobody else`(_ onUnixSocket: Bool) throws {
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

    @Test func `an expired certificate is named`() throws {
        let made = try TestAuthority().issue(purpose: "serverAuth", isExpired: true)
        let own = TLSIdentity(certificate: made.certificate, key: made.key)
        let failure = #expect(throws: AdminAccess.Failure.self) {
            try list(.tcp(host: "127.0.0.1", port: 0), shown: own, configured: own)
        }
        let text = failure?.description ?? ""
        #expect(text.contains("(its certificate expired at 2"))
        #expect(text.contains("renew it in its file, then run deskgate reload)"))
    }

    @Test func `asks nobody without TLS`() throws {
        #expect(throws: AdminAccess.Failure.self) { try list(.tcp(host: "127.0.0.1", port: 0), shown: nil) }
    }
}
