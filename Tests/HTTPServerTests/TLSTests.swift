import Glibc
import TestSupport
import Testing
import Threading

@testable import HTTPServer

/// HTTPS with a certificate of the test's own and common command-line tools.
@Suite struct TLSTests {
    private let directory: TemporaryDirectory
    private let certificatePath: String
    private let identity: TLSIdentity
    private let patience = WaitLimit.milliseconds / 1000

    init() throws {
        directory = try TemporaryDirectory()
        certificatePath = directory.path("certificate")
        try directory.write("certificate", TestCertificate.shared.certificate)
        identity = TLSIdentity(certificate: TestCertificate.shared.certificate, key: TestCertificate.shared.key)
    }

    private func fixture(
        idleTimeoutSeconds: Int = 30, requestTimeoutMilliseconds: Int = Int(WaitLimit.milliseconds)
    ) throws -> ServerFixture {
        try ServerFixture(
            settings: ServerSettings(
                idleTimeoutSeconds: idleTimeoutSeconds, requestTimeoutMilliseconds: requestTimeoutMilliseconds, threads: 2,
                tls: identity))
    }

    private func curl(_ fixture: ServerFixture, path: String, options: String...) throws -> Command {
        let all = options.joined(separator: " ")
        let url = "https://\(fixture.server.address)\(path)"
        return try Command("sh", "-c", "exec curl -sS --max-time \(patience) --cacert '\(certificatePath)' \(all) '\(url)'")
    }

    private func openssl(_ fixture: ServerFixture, _ options: String) throws -> Command {
        try Command("sh", "-c", "exec openssl s_client -connect \(fixture.server.address) -CAfile '\(certificatePath)' \(options)")
    }

    @Test func `answers at once and later`() throws {
        let fixture = try fixture()
        defer { fixture.stop() }
        #expect(try curl(fixture, path: "/hello").output == "hello")
        #expect(try curl(fixture, path: "/echo", options: "--data body").output == "body")
        #expect(try curl(fixture, path: "/later", options: "--data body").output == "body")
        #expect(try curl(fixture, path: "/dropped", options: "-X POST", "-o /dev/null -w '%{http_code}'").output == "500")
        #expect(fixture.observed.count(of: 200) == 3)
    }

    @Test func `sends large responses completely`() throws {
        let fixture = try fixture()
        defer { fixture.stop() }
        #expect(try curl(fixture, path: "/large", options: "-o /dev/null -w '%{size_download}'").output == "16777216")
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `supports TLS`(version: String) throws {
        let fixture = try fixture()
        defer { fixture.stop() }
        let client = try openssl(fixture, "\(version) -verify_return_error")
        #expect(client.status == 0)
        #expect(client.output.contains("Verify return code: 0 (ok)"))
    }

    @Test(arguments: [
        ("ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA", false), ("ECDHE-RSA-AES256-SHA384:ECDHE-ECDSA-AES256-SHA384", false),
        ("AES128-SHA:AES256-SHA:AES128-SHA256", false), ("AES128-GCM-SHA256", false),
        ("ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256", true), ("CHACHA20", true),
    ])
    func `offers authenticated encryption only`(ciphers: String, isOffered: Bool) throws {
        let fixture = try fixture()
        defer { fixture.stop() }
        let client = try openssl(fixture, "-tls1_2 -cipher '\(ciphers):@SECLEVEL=0'")
        #expect((client.status == 0) == isOffered)
        #expect(client.output.contains("Cipher is (NONE)") == !isOffered)
    }

    @Test(arguments: ["-tls1", "-tls1_1"])
    func `rejects old TLS versions`(version: String) throws {
        let fixture = try fixture()
        defer { fixture.stop() }
        let client = try openssl(fixture, "\(version) -cipher ALL:@SECLEVEL=0")
        #expect(client.status != 0)
        #expect(client.output.contains("Cipher is (NONE)"))
    }

    @Test func `closes on plain HTTP`() throws {
        let fixture = try fixture()
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send(request("GET", path: "/hello"))
        let answer = String(decoding: try client.readUntilGone(), as: UTF8.self)
        #expect(!answer.contains("HTTP"))
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test func `closes a slow handshake`() throws {
        let fixture = try fixture(idleTimeoutSeconds: 1, requestTimeoutMilliseconds: 300)
        defer { fixture.stop() }
        let client = try fixture.client()
        try client.send([0x16, 0x03, 0x01, 0x0f, 0xff, 0x01, 0x00, 0x0f, 0xfb, 0x03, 0x03])
        try client.trickle(String(repeating: "x", count: 4000))
        #expect(status(of: try client.readUntilGone()) == nil)
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test func `closes a silent handshake`() throws {
        let fixture = try fixture(idleTimeoutSeconds: 1, requestTimeoutMilliseconds: 300)
        defer { fixture.stop() }
        let client = try fixture.client()
        #expect(status(of: try client.readUntilGone()) == nil)
        #expect(eventually { fixture.server.connectionCount == 0 })
    }

    @Test func `answers suspended requests when stopping`() throws {
        let fixture = try fixture()
        let answer = Monitor("")
        let thread = startThread {
            let output = try? curl(fixture, path: "/held", options: "-X POST", "-o /dev/null -w '%{http_code}'").output
            answer.update { $0 = output ?? "" }
        }
        let pending = try fixture.held.next()
        fixture.stop(drainMilliseconds: 0)
        thread.join()
        #expect(answer.withLock { $0 } == "503")
        #expect(pending.respond(ServerFixture.text(200, "late")) == false)
    }

    @Test func `presents a renewed certificate on new connections only`() throws {
        let fixture = try fixture()
        defer { fixture.stop() }
        let renewed = try TestCertificate()
        let trusting = directory.path("renewed")
        try directory.write("renewed", renewed.certificate)
        // curl requests the second path on the connection of the first one, which the server answers after the certificate was replaced.
        let url = "https://\(fixture.server.address)"
        let status = Monitor("")
        let thread = startThread { [certificatePath, patience] in
            let output = try? Command(
                "curl", "-sS", "--max-time", "\(patience)", "--cacert", certificatePath, "-X", "POST", "\(url)/held", "\(url)/held"
            ).output
            status.update { $0 = output ?? "" }
        }
        let first = try fixture.held.next()
        try fixture.server.replaceIdentity(with: TLSIdentity(certificate: renewed.certificate, key: renewed.key))
        _ = first.respond(ServerFixture.text(200, "one "))
        _ = try fixture.held.next().respond(ServerFixture.text(200, "two"))
        thread.join()
        #expect(status.withLock { $0 } == "one two")
        #expect(try Command("curl", "-sS", "--cacert", trusting, "\(url)/hello").output == "hello")
        #expect(try curl(fixture, path: "/hello").status == 60)
        // An unusable certificate changes nothing.
        #expect(throws: ServerError.self) {
            try fixture.server.replaceIdentity(with: TLSIdentity(certificate: renewed.certificate, key: identity.key))
        }
        #expect(try Command("curl", "-sS", "--cacert", trusting, "\(url)/hello").output == "hello")
    }

    @Test func `reports an unusable certificate`() throws {
        let other = try TestCertificate()
        let unusable = [
            TLSIdentity(certificate: "", key: ""), TLSIdentity(certificate: "no certificate", key: "no key"),
            TLSIdentity(certificate: identity.certificate, key: ""), TLSIdentity(certificate: identity.certificate, key: other.key),
        ]
        for identity in unusable {
            let path = directory.path("socket")
            let error = #expect(throws: ServerError.self) {
                try ServerFixture(.unix(path: path), settings: ServerSettings(threads: 2, tls: identity))
            }
            #expect(error?.kind == .unusableCertificate)
            #expect(
                error?.description
                    == "cannot start TLS on unix:\(path): give a PEM certificate and the PEM private key that belongs to it")
            #expect(unsafe access(path, F_OK) != 0)
        }
    }
}
