import HTTPServer
import TestSupport
import Testing

@testable import Configuration
@testable import Service

/// `listen.tls.client_authorities`: who shows no certificate of theirs is refused. The caller is curl.
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

    /// Asks for an authorization; the body of the answer, then its status.
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

    @Test(arguments: ["--tlsv1.3", "--tls-max 1.2"]) func `admits who shows one`(version: String) throws {
        let own = try showing(authority.issue())
        try fixture.withService { service throws in
            #expect(try authorize(service, "\(version) \(own)").hasSuffix("200"))
            #expect(try authorize(service, version) == "\(Self.refusal)403")
        }
    }

    @Test func `refuses others`() throws {
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

    /// A certificate is public, so showing one without its key must prove nothing: the handshake fails.
    @Test func `wants the key too`() throws {
        let (own, other) = (try authority.issue(), try authority.issue())
        try scratch.write("certificate", own.certificate)
        try scratch.write("key", other.key)
        try fixture.withService { service throws in
            let answer = try authorize(service, "--cert '\(scratch.path("certificate"))' --key '\(scratch.path("key"))'")
            #expect(answer.hasSuffix("000"))
        }
    }

    /// A refusal counts as one, and not as a verdict; the probes and what does not exist answer everybody.
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

    @Test func `judges each request of a connection`() throws {
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
            // A caller's own certificate alone.
            try scratch.write("authorities.pem", own.certificate, mode: 0o644)
            #expect(try reload())
            #expect(try statuses() == ["200", "403"])
            #expect(try !reload(#""tls":{"certificate":"own.pem","key":"own.key"}"#))
            #expect(try statuses() == ["200", "403"])
        }
    }

    /// A file that is not readable as certificates changes nothing.
    @Test func `is reloaded whole or not at all`() throws {
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
