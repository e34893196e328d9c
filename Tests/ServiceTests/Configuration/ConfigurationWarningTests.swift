import Crypto
import TestSupport
import Testing
import Time

@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Operators
@testable import Pyrus
@testable import Service

/// What is served all the same but should be changed.
@Suite struct ConfigurationWarningTests {
    private static let day: UInt64 = 24 * 3600

    private func warnings(admin: String, now: UnixSeconds = 0) throws -> [String] {
        let json = ServiceFixture.json(admin: admin)
        return try ConfigurationDirectory().configuration(json).warnings(now: now).map(\.path)
    }

    @Test(arguments: [#""host":"0.0.0.0""#, #""host":"::""#, #""host":"192.0.2.7""#, #""host":"admin.example""#])
    func anAdminListenerWithoutTLSBeyondThisMachine(host: String) throws {
        #expect(try warnings(admin: host) == ["$.admin.tls"])
    }

    @Test(arguments: [#""port":0"#, #""host":"127.8.0.1""#, #""host":"::1""#, #""host":"localhost""#, #""unix":"admin.sock""#])
    func notOnThisMachine(host: String) throws {
        #expect(try warnings(admin: host) == [])
    }

    @Test func certificatesThatExpire() throws {
        let directory = try ConfigurationDirectory()
        let pair = try LoopbackCertificate()
        try directory.scratch.write("certificate.pem", pair.certificate)
        try directory.scratch.write("key.pem", pair.key)
        let tls = #""tls":{"certificate":"certificate.pem","key":"key.pem"}"#
        let configuration = try directory.configuration(ServiceFixture.json(admin: #""host":"0.0.0.0",\#(tls)"#, listen: tls))
        let end = UnixSeconds(rawValue: try #require(CertificatePair.expiry(ofCertificate: pair.certificate)))
        func messages(_ now: UnixSeconds) -> [String] { configuration.warnings(now: now).map { "\($0)" } }
        #expect(messages(end - 14 * Self.day) == [])
        let paths = ["$.listen.tls.certificate", "$.admin.tls.certificate"]
        let time = RFC3339.text(end.milliseconds)
        #expect(messages(end - 14 * Self.day + 1) == paths.map { "\($0): expires at \(time); renew it and send SIGHUP" })
        #expect(messages(end) == paths.map { "\($0): expired at \(time); renew it and send SIGHUP" })
    }
}
