import HTTPServer
import TestSupport
import Testing

@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Operators
@testable import Pyrus
@testable import Service

/// The certificate of a listener.
@Suite struct ConfigurationTLSTests {
    private let directory: ConfigurationDirectory
    private static let certificate = TestCertificate.shared.certificate
    private static let key = TestCertificate.shared.key

    init() throws {
        directory = try ConfigurationDirectory()
        try directory.scratch.write("certificate.pem", Self.certificate, mode: 0o644)
        try directory.scratch.write("key.pem", Self.key)
        try directory.scratch.write("open.pem", Self.key, mode: 0o644)
        try directory.scratch.write("foreign.pem", TestCertificate().key)
        try directory.scratch.write("empty.pem", "-----BEGIN NOTHING-----\n")
        try directory.scratch.write("text.pem", "certificate")
        try directory.scratch.write("binary.pem", [0x30, 0x82, 0xFF])
    }

    @Test(arguments: ["listen", "admin"])
    func isReadWithItsKey(listener: String) throws {
        let configuration = try directory.configuration(
            members: #""\#(listener)":{"tls":{"certificate":"certificate.pem","key":"key.pem"}}"#)
        let settings = listener == "listen" ? configuration.listen.settings : configuration.admin.listener.settings
        #expect(settings.tls == TLSIdentity(certificate: Self.certificate, key: Self.key))
    }

    @Test(arguments: [
        (
            "{}",
            [
                "$.listen.tls.certificate: missing; give the path of a PEM file"
            ]
        ),
        (#"{"certificate":"certificate.pem"}"#, ["$.listen.tls.key: missing; give the path of a PEM file"]),
        (
            #"{"certificate":"none.pem","key":"key.pem"}"#,
            ["$.listen.tls.certificate: cannot read DIR/none.pem: No such file or directory"]
        ),
        (
            #"{"certificate":"text.pem","key":"key.pem"}"#,
            ["$.listen.tls.certificate: expected a PEM file, which starts with -----BEGIN"]
        ),
        (
            #"{"certificate":"certificate.pem","key":"binary.pem"}"#,
            ["$.listen.tls.key: expected a PEM file, which starts with -----BEGIN"]
        ),
        (
            #"{"certificate":"certificate.pem","key":"open.pem"}"#,
            [
                "$.listen.tls.key: DIR/open.pem can be read by everyone; run chmod 600 on it, "
                    + #"or set "allow_insecure_secrets": true at the top on a laptop"#
            ]
        ),
        (
            #"{"certificate":"certificate.pem","key":"foreign.pem"}"#,
            ["$.listen.tls.key: the private key does not belong to the certificate"]
        ),
        (
            #"{"certificate":"certificate.pem","key":"empty.pem"}"#,
            ["$.listen.tls.key: expected a private key in PEM, without a passphrase"]
        ),
        (#"{"certificate":"empty.pem","key":"key.pem"}"#, ["$.listen.tls.certificate: expected a certificate in PEM"]),
        (#"{"certificate":1,"key":"key.pem"}"#, ["$.listen.tls.certificate: expected a non-empty string, found a number"]),
        ("[]", ["$.listen.tls: expected an object, found a list"]),
        (
            #"{"certificate":"certificate.pem","key":"key.pem","client_authorities":"key.pem"}"#,
            ["$.listen.tls.client_authorities: expected a file with certificates in PEM"]
        ),
        (
            #"{"certificate":"certificate.pem","key":"key.pem","client_authorities":"binary.pem"}"#,
            ["$.listen.tls.client_authorities: expected a file with certificates in PEM"]
        ),
        (
            #"{"certificate":"certificate.pem","key":"key.pem","client_authorities":"none.pem"}"#,
            ["$.listen.tls.client_authorities: cannot read DIR/none.pem: No such file or directory"]
        ),
        (
            #"{"certificate":"certificate.pem","key":"key.pem","client_authorities":["certificate.pem"]}"#,
            ["$.listen.tls.client_authorities: expected a non-empty string, found a list"]
        ),
    ])
    func isChecked(tls: String, problems: [String]) throws {
        #expect(try directory.problems(members: #""listen":{"tls":\#(tls)}"#) == problems)
    }

    /// Only the public listener asks for certificates: operators have tokens.
    @Test func theAdminListenerHasNoClientAuthorities() throws {
        let tls = #""tls":{"certificate":"certificate.pem","key":"key.pem","client_authorities":"certificate.pem"}"#
        #expect(try directory.configuration(members: "\"listen\":{\(tls)}").callers.areRestricted)
        #expect(
            try directory.problems(members: "\"admin\":{\(tls)}") == [
                "$.admin.tls.client_authorities: unknown key; known here: certificate, key"
            ])
    }

    @Test func mayHaveAnOpenKeyOnALaptop() throws {
        let tls = #""listen":{"tls":{"certificate":"certificate.pem","key":"open.pem"}}"#
        #expect(try directory.problems(members: #"\#(tls),"allow_insecure_secrets":true"#) == [])
    }
}
