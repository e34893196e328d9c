import HTTPServer
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

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
    func `is parsed with its key`(listener: String) throws {
        let configuration = try directory.configuration(
            members: #""\#(listener)":{"tls":{"certificate":"certificate.pem","key":"key.pem"}}"#)
        let settings = listener == "listen" ? configuration.listen.settings : configuration.admin.listener.settings
        #expect(settings.tls == TLSIdentity(certificate: Self.certificate, key: Self.key))
    }

    /// Creates a chain of a server's, an intermediate and a root certificate, and the server's key in the formats of OpenSSL's commands.
    private func makeChain() throws {
        let script = #"""
            set -e
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=root -days 2 -keyout root.key -out root.crt
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=middle -keyout middle.key -out middle.csr
            printf 'basicConstraints=CA:TRUE\n' > ca.ext
            openssl x509 -req -in middle.csr -CA root.crt -CAkey root.key -CAcreateserial -days 2 -extfile ca.ext -out middle.crt
            openssl ecparam -name prime256v1 -genkey -out own.key
            openssl req -new -key own.key -subj /CN=own -out own.csr
            openssl x509 -req -in own.csr -CA middle.crt -CAkey middle.key -CAcreateserial -days 2 -out own.crt
            cat own.crt middle.crt root.crt > chain.crt
            cat root.crt middle.crt own.crt > reversed.crt
            cat middle.crt own.crt root.crt > mixed.crt
            openssl pkcs12 -export -in chain.crt -inkey own.key -name schlüssel -passout pass:x -out all.p12
            openssl pkcs12 -in all.p12 -passin pass:x -nodes -out all.pem
            openssl x509 -in own.crt -text -out text.crt
            cat middle.crt root.crt >> text.crt
            openssl pkey -in own.key -text -out text.key
            openssl pkey -in own.key -out pkcs8.key
            openssl ec -in own.key -out sec1.key
            sed 's/$/\r/' own.key > windows.key
            sed 's/$/\r/' chain.crt > windows.crt
            printf '\357\273\277' | cat - chain.crt > marked.crt
            printf '# Gr\374\337e\n\n' | cat - chain.crt > latin.crt
            sed 's/CERTIFICATE/X509 CERTIFICATE/' chain.crt > old.crt
            tr '\n' ' ' < own.key > spaced.key
            cat chain.crt own.key > both.pem
            cat own.key chain.crt > turned.pem
            chmod 600 *.key *.crt all.pem both.pem turned.pem
            """#
        let made = try Command("sh", "-c", "cd \"$0\"; \(script)", directory.scratch.path("."))
        #expect(made.status == 0)
    }

    @Test func `is parsed in every format of OpenSSL`() throws {
        try makeChain()
        let problems = { (certificate: String, key: String) in
            try directory.problems(members: #""listen":{"tls":{"certificate":"\#(certificate)","key":"\#(key)"}}"#)
        }
        let certificates = [
            "chain.crt", "own.crt", "text.crt", "windows.crt", "marked.crt", "latin.crt", "old.crt", "all.pem", "both.pem", "turned.pem",
        ]
        for certificate in certificates { #expect(try problems(certificate, "own.key") == [], "\(certificate)") }
        for key in ["text.key", "pkcs8.key", "sec1.key", "windows.key", "spaced.key", "all.pem", "both.pem", "turned.pem"] {
            #expect(try problems("chain.crt", key) == [], "\(key)")
        }
        for (certificate, place) in [("reversed.crt", 3), ("mixed.crt", 2)] {
            #expect(
                try problems(certificate, "own.key") == [
                    "$.listen.tls.certificate: the chain is not in order: the private key belongs to certificate \(place) of 3, which must come "
                        + "first, followed by the one that has signed it, and so on"
                ])
        }
        #expect(try problems("middle.crt", "own.key") == ["$.listen.tls.key: the private key does not belong to the certificate"])
        let tls = try directory.configuration(members: #""listen":{"tls":{"certificate":"text.crt","key":"all.pem"}}"#).listen.settings.tls
        #expect(tls == TLSIdentity(certificate: try directory.scratch.read("chain.crt"), key: try directory.scratch.read("pkcs8.key")))
    }

    @Test func `another kind of file is reported`() throws {
        try makeChain()
        let script = #"""
            set -e
            openssl pkey -in own.key -pubout -out public.key
            openssl pkey -in own.key -aes128 -passout pass:x -out locked.key
            openssl ec -in own.key -aes128 -passout pass:x -out old.key
            openssl pkey -in own.key -outform der -out der.key
            chmod 600 *.key *.csr all.p12
            """#
        #expect(try Command("sh", "-c", "cd \"$0\"; \(script)", directory.scratch.path(".")).status == 0)
        func hint(_ certificate: String, _ key: String) throws -> String? {
            let tls = #""listen":{"tls":{"certificate":"\#(certificate)","key":"\#(key)"}}"#
            return try directory.problems(members: tls).first.map { String($0[($0.firstRange(of: "; ")?.upperBound ?? $0.endIndex)...]) }
        }
        #expect(try hint("own.csr", "own.key") == "the file holds a certificate request; give the certificate that was issued for it")
        #expect(try hint("own.key", "own.key") == "the file holds a private key")
        #expect(try hint("chain.crt", "public.key") == "the file holds a public key")
        #expect(try hint("chain.crt", "chain.crt") == "the file holds a certificate")
        for key in ["locked.key", "old.key"] {
            let remedy = "the file holds a private key with a passphrase; remove that with: openssl pkey -in FILE -out NEW"
            #expect(try hint("chain.crt", key) == remedy, "\(key)")
        }
        #expect(try hint("chain.crt", "all.p12") == "the file is PKCS #12; make PEM of it with: openssl pkcs12 -in FILE -nodes -out NEW")
        #expect(try hint("chain.crt", "der.key")?.hasPrefix("if the file is DER, make PEM of it with: openssl pkey ") == true)
    }

    @Test(arguments: [
        (
            "{}",
            [
                "$.listen.tls.certificate: missing; give the path of a PEM file",
                "$.listen.tls.key: missing; give the path of a PEM file",
            ]
        ),
        (#"{"certificate":"certificate.pem"}"#, ["$.listen.tls.key: missing; give the path of a PEM file"]),
        (
            #"{"certificate":"none.pem","key":"nothing.pem"}"#,
            [
                "$.listen.tls.certificate: cannot read DIR/none.pem: No such file or directory",
                "$.listen.tls.key: cannot read DIR/nothing.pem: No such file or directory",
            ]
        ),
        (
            #"{"certificate":"none.pem","key":"key.pem"}"#,
            ["$.listen.tls.certificate: cannot read DIR/none.pem: No such file or directory"]
        ),
        (
            #"{"certificate":"text.pem","key":"key.pem"}"#,
            ["$.listen.tls.certificate: expected a PEM file, with lines that begin with -----BEGIN and -----END"]
        ),
        (
            #"{"certificate":"certificate.pem","key":"binary.pem"}"#,
            [
                "$.listen.tls.key: expected a PEM file, with lines that begin with -----BEGIN and -----END; "
                    + "if the file is DER, make PEM of it with: openssl pkey -inform der -in FILE -out NEW"
            ]
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
        (#"{"certificate":1,"key":"key.pem"}"#, ["$.listen.tls.certificate: expected the path of a PEM file, found a number"]),
        (
            #"{"certificate":"certificate.pem","key":{"file":"key.pem"}}"#,
            ["$.listen.tls.key: expected the path of a PEM file, found an object"]
        ),
        (
            #"{"certificate":"certificate.pem","key":"-----BEGIN EC PARAMETERS-----\nMC4C\n"}"#,
            ["$.listen.tls.key: expected the path of a file, found a text that may be its contents; save them in a file, and give its path"]
        ),
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
            ["$.listen.tls.client_authorities: expected the path of a PEM file, found a list"]
        ),
    ])
    func `mistakes are reported`(tls: String, problems: [String]) throws {
        #expect(try directory.problems(members: #""listen":{"tls":\#(tls)}"#) == problems)
    }

    /// Only the public listener requests certificates: operators have tokens.
    @Test func `the admin listener has no client authorities`() throws {
        let tls = #""tls":{"certificate":"certificate.pem","key":"key.pem","client_authorities":"certificate.pem"}"#
        #expect(try directory.configuration(members: "\"listen\":{\(tls)}").callers.areRestricted)
        #expect(
            try directory.problems(members: "\"admin\":{\(tls)}") == [
                "$.admin.tls.client_authorities: unknown key; it belongs to $.listen.tls"
            ])
    }

    @Test func `may have a readable key on a laptop`() throws {
        let tls = #""listen":{"tls":{"certificate":"certificate.pem","key":"open.pem"}}"#
        #expect(try directory.problems(members: #"\#(tls),"allow_insecure_secrets":true"#) == [])
    }
}
