import HTTPServer
import TestSupport
import Testing

@testable import Configuration
@testable import Service

/// `listen.tls.client_authorities`: a client without one of their certificates is rejected. The client is curl.
@Suite struct ClientCertificateTests {
    private static let refusal = ExchangeCase.error("forbidden_certificate", "This call lacks a client certificate that is accepted here.")
    private static let tls = #""tls":{"certificate":"own.pem","key":"own.key","client_authorities":"authorities.pem"}"#

    private let authority: TestAuthority
    private let fixture: ServiceFixture
    private var scratch: TemporaryDirectory { fixture.directory.scratch }

    init() throws {
        authority = try TestAuthority()
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("own.pem", TestCertificate.shared.certificate, mode: 0o644)
        try directory.scratch.write("own.key", TestCertificate.shared.key)
        try directory.scratch.write("authorities.pem", authority.certificate, mode: 0o644)
        try directory.scratch.write("body", try AuthorizeCases.json())
        fixture = try ServiceFixture(in: directory, json: Self.json())
    }

    private static func json(_ listen: String = tls) -> String { ServiceFixture.json(listen: #""port":0,\#(listen)"#) }

    /// Writes a certificate with its key, and returns curl's options to show it.
    private func showing(_ issued: (certificate: String, key: String)) throws -> String {
        try scratch.write("caller", issued.certificate + issued.key)
        return "--cert '\(scratch.path("caller"))'"
    }

    /// Requests an authorization, and returns the response's body and status.
    private func authorize(_ service: RunningService, _ options: String = "", requests: Int = 1) throws -> String {
        let url = "'https://\(service.publicAddress)/pyrus/authorize'"
        return try curl(
            Array(repeating: url, count: requests).joined(separator: " ")
                + " -H 'Content-Type: application/json' --data-binary '@\(scratch.path("body"))' \(options)")
    }

    private func curl(_ arguments: String) throws -> String {
        let curl = "curl -sS --max-time \(WaitLimit.milliseconds / 1000) --cacert '\(scratch.path("own.pem"))' -w '%{http_code}'"
        return try Command("sh", "-c", "exec \(curl) \(arguments)").output
    }

    @Test(arguments: ["--tlsv1.3", "--tls-max 1.2"]) func `admits a client with a certificate`(version: String) throws {
        let own = try showing(authority.issue())
        try fixture.withService { service throws in
            #expect(try authorize(service, "\(version) \(own)").hasSuffix("200"))
            #expect(try authorize(service, version) == "\(Self.refusal)403")
        }
    }

    @Test func `rejects other clients`() throws {
        let refused: [(reason: String, issued: (certificate: String, key: String))] = [
            ("untrusted", try TestAuthority().issue()), ("untrusted", try authority.issue(purpose: "serverAuth")),
            ("expired", try authority.issue(isExpired: true)),
            ("untrusted", (TestCertificate.shared.certificate, TestCertificate.shared.key)),
        ]
        try fixture.withService { service throws in
            for (_, issued) in refused { #expect(try authorize(service, showing(issued)) == "\(Self.refusal)403") }
        }
        let lines = try fixture.log.lines().filter { $0.contains("caller refused") }
        #expect(lines.allSatisfy { $0.hasPrefix("WARN  caller refused reason=certificate route=/pyrus/authorize peer=127.0.0.1:") })
        #expect(lines.map { String($0.split(separator: "=").last ?? "") } == refused.map(\.reason))
    }

    /// A certificate is public, so it is worthless without its key: the handshake fails.
    @Test func `requires the key`() throws {
        let (own, other) = (try authority.issue(), try authority.issue())
        try scratch.write("certificate", own.certificate)
        try scratch.write("key", other.key)
        try fixture.withService { service throws in
            let answer = try authorize(service, "--cert '\(scratch.path("certificate"))' --key '\(scratch.path("key"))'")
            #expect(answer.hasSuffix("000"))
        }
    }

    /// A rejected client is counted as such, not as a verdict; the probes and unknown paths respond to all clients.
    @Test func `a missing certificate is no denial of the user`() throws {
        try fixture.withService { service throws in
            #expect(try authorize(service) == "\(Self.refusal)403")
            for (path, status) in [("/livez", "200"), ("/readyz", "200"), ("/pyrus/authorize", "405"), ("/nothing", "404")] {
                #expect(try curl("-o /dev/null 'https://\(service.publicAddress)\(path)'") == status)
            }
            let metrics = try ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 0, answer: "")
                .send(to: SocketClient(service.adminAddress)).text
            #expect(metrics.contains("deskgate_refused_callers_total{reason=\"certificate\"} 1\n"))
            let verdicts = metrics.split(separator: "\n").filter { $0.hasPrefix("deskgate_authorize_requests_total{") }
            #expect(verdicts.allSatisfy { $0.hasSuffix(" 0") })
        }
        #expect(try fixture.log.text().contains(" certificate=missing\n"))
    }

    @Test func `checks each request of a connection`() throws {
        let own = try showing(authority.issue())
        try fixture.withService { service throws in
            #expect(try authorize(service, own, requests: 2).count(of: "200") == 2)
            #expect(try authorize(service, requests: 2) == "\(Self.refusal)403\(Self.refusal)403")
        }
    }

    @Test func `trusts other authorities after a reload`() throws {
        let next = try TestAuthority()
        let (own, others) = (try authority.issue(), try next.issue())
        try fixture.withService { service throws in
            func statuses() throws -> [String] { try [own, others].map { String(try authorize(service, showing($0)).suffix(3)) } }
            func reload(_ listen: String = Self.tls) throws -> Bool {
                try scratch.write("config.json", Self.json(listen))
                return service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) }
            }
            #expect(try statuses() == ["200", "403"])
            try scratch.write("authorities.pem", authority.certificate + next.certificate, mode: 0o644)
            #expect(try reload())
            #expect(try statuses() == ["200", "200"])
            try scratch.write("authorities.pem", next.certificate, mode: 0o644)
            #expect(try reload())
            #expect(try statuses() == ["403", "200"])
            // The caller's own certificate alone.
            try scratch.write("authorities.pem", own.certificate, mode: 0o644)
            #expect(try reload())
            #expect(try statuses() == ["200", "403"])
            #expect(try !reload(#""tls":{"certificate":"own.pem","key":"own.key"}"#))
            #expect(try statuses() == ["200", "403"])
        }
    }

    /// A file without valid certificates changes nothing.
    @Test func `is reloaded completely or not at all`() throws {
        let own = try showing(authority.issue())
        try fixture.withService { service throws in
            try scratch.write("authorities.pem", "-----BEGIN CERTIFICATE-----\nnone\n", mode: 0o644)
            #expect(!service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) })
            #expect(try authorize(service, own).hasSuffix("200"))
        }
        #expect(try fixture.log.text().contains("$.listen.tls.client_authorities: expected a file with certificates in PEM"))
    }
}

extension String {
    fileprivate func count(of text: String) -> Int {
        indices.filter { self[$0...].hasPrefix(text) }.count
    }
}
