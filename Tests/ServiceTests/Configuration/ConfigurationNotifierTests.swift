import Crypto
import Notifiers
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct ConfigurationNotifierTests {
    private static let url = #""url":"https://example.com/events""#
    private static let types = #""log", "http", "apns", "fcm", "rustore", "hms", "pyrus", "sendbird""#
    private static let secret = #""secret":{"env":"ONE"}"#
    private static let remedy = #"make one with: echo "whsec_$(openssl rand -base64 32)""#

    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        directory.environment["ONE"] = TestSecret.signing(11)
        directory.environment["TWO"] = TestSecret.signing(12)
    }

    private func http(_ members: String) -> String {
        #""notifiers":{"log":{"type":"log"},"backend":{"type":"http",\#(members)}}"#
    }

    private func destination(_ members: String) throws -> HTTPDestination? {
        guard case .http(let destination) = try directory.configuration(members: http(members)).notifiers[1].kind else { return nil }
        return destination
    }

    @Test func `have defaults`() throws {
        let destination = try #require(try destination("\(Self.url),\(Self.secret)"))
        #expect(destination.url == "https://example.com/events")
        #expect(destination.secrets.map(\.count) == [50])
        #expect(destination.transport.timeoutSeconds == 20)
        #expect(destination.transport.concurrency == 16)
        #expect(!destination.preservesTicketOrder)
        #expect(destination.transport.certificateAuthorities == nil)
        #expect(destination.transport.proxy == nil)
    }

    @Test func `can be set`() throws {
        try directory.scratch.write("authorities.pem", TestCertificate.shared.certificate, mode: 0o644)
        let destination = try #require(
            try destination(
                """
                "url":"http://example.com:81/","allow_http":true,"secret":[{"env":"ONE"},{"env":"TWO"}],"timeout_seconds":120,
                "concurrency":1000,"keeps_ticket_order":true,"certificate_authorities":"authorities.pem","proxy":"socks5://[::1]:1080"
                """))
        #expect(destination.url == "http://example.com:81/")
        #expect(destination.secrets.count == 2)
        #expect(destination.transport.timeoutSeconds == 120)
        #expect(destination.transport.concurrency == 1000)
        #expect(destination.preservesTicketOrder)
        #expect(destination.transport.certificateAuthorities?.path == directory.scratch.path("authorities.pem"))
        #expect(destination.transport.proxy == "socks5://[::1]:1080")
    }

    @Test(arguments: [
        (#""notifiers":[]"#, "$.notifiers: expected an object, found a list"),
        (#""notifiers":[],"operators":{"notifiers":["backend"]}"#, "$.notifiers: expected an object, found a list"),
        (#""notifiers":{"log":"log"}"#, "$.notifiers.log: expected an object, found a string"),
        (#""notifiers":{"log":{}}"#, "$.notifiers.log.type: missing; give one of \(types)"),
        (#""notifiers":{"log":{"type":"mail"}}"#, "$.notifiers.log.type: expected one of \(types)"),
        (
            #""notifiers":{"log":{"type":"log"},"a b":{"type":"log"}}"#,
            #"$.notifiers.a b: expected a name of 1 to 64 letters, digits, "-", "_" or ".""#
        ),
        (
            #""notifiers":{"log":{"type":"log"},"":{"type":"log"}}"#,
            #"$.notifiers."": expected a name of 1 to 64 letters, digits, "-", "_" or ".""#
        ),
        (#""store":{"type":"mysql"}"#, #"$.store.type: expected one of "sqlite", "postgres", "memory""#),
        (#""store":{"type":"memory","path":"x"}"#, "$.store.path: a store in memory has no path; remove it"),
        (#""store":{"path":""}"#, "$.store.path: expected a non-empty string, found an empty string"),
    ])
    func `mistakes are reported`(member: String, problem: String) throws {
        #expect(try directory.problems(members: member) == [problem])
    }

    @Test(arguments: [
        (secret, "url: missing; give the address to post to, such as https://example.com/events"),
        (#""url":7,\#(secret)"#, "url: expected a non-empty string, found a number"),
        (
            #""url":"ftp://example.com",\#(secret)"#,
            "url: expected an https address, found another scheme"
        ),
        (
            #""url":"http://example.com",\#(secret)"#,
            #"url: plain http leaves this machine unprotected; give an https address, or set "allow_http": true beside it"#
        ),
        (url, #"secret: missing; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#),
        (
            #"\#(url),"secret":{"file":"none"}"#,
            "secret.file: cannot read DIR/none: No such file or directory; put it back, or, if none is in use yet, make one with: deskgate "
                + "secret new --signing --out DIR/none"
        ),
        (#"\#(url),"secret":[]"#, "secret: expected at least one secret"),
        (
            #"\#(url),"secret":[{"env":"NONE"}]"#,
            "secret[0].env: the environment variable NONE is not set; set it beforehand"
        ),
        (#"\#(url),"secret":{"file":"secrets/app-1.key"}"#, "secret: expected whsec_ and the base64 of 24 to 64 bytes; \(remedy)"),
        (
            #"\#(url),"secret":[{"env":"ONE"},{"env":"ONE"}]"#,
            "secret[1]: the same secret as $.notifiers.backend.secret[0]; use each secret in one place only"
        ),
        ("\(url),\(secret),\"timeout_seconds\":0", "timeout_seconds: expected an integer from 1 to 120, found 0"),
        ("\(url),\(secret),\"concurrency\":1001", "concurrency: expected an integer from 1 to 1000, found 1001"),
        ("\(url),\(secret),\"allow_http\":1", "allow_http: expected true or false, found a number"),
        ("\(url),\(secret),\"keeps_ticket_order\":null", "keeps_ticket_order: expected true or false, found null"),
        (
            #"\#(url),\#(secret),"certificate_authorities":"secrets/app-1.key""#,
            "certificate_authorities: expected a file with certificates in PEM"
        ),
        (
            #"\#(url),\#(secret),"certificate_authorities":"none""#,
            "certificate_authorities: cannot read DIR/none: No such file or directory"
        ),
        (
            #"\#(url),\#(secret),"proxy":"ftp://example.com""#,
            "proxy: expected an http or socks5 address, found another scheme"
        ),
    ])
    func `mistakes of the type HTTP are reported`(members: String, problem: String) throws {
        #expect(try directory.problems(members: http(members)) == ["$.notifiers.backend.\(problem)"])
    }

    /// A system's list of all authorities has about 200 KiB.
    @Test func `accept many certificate authorities`() throws {
        let certificate = TestCertificate.shared.certificate
        let bundle = String(repeating: certificate, count: 300_000 / certificate.utf8.count)
        try directory.scratch.write("bundle.pem", bundle, mode: 0o644)
        let destination = try #require(try destination(#"\#(Self.url),\#(Self.secret),"certificate_authorities":"bundle.pem""#))
        #expect(destination.transport.certificateAuthorities?.contents.count == bundle.utf8.count)
    }

    @Test func `reject a file without certificates`() throws {
        try directory.scratch.writeSparse("huge.pem", size: 4 << 20 + 1)
        #expect(
            try directory.problems(members: http(#"\#(Self.url),\#(Self.secret),"certificate_authorities":"huge.pem""#)) == [
                "$.notifiers.backend.certificate_authorities: cannot read DIR/huge.pem: File too large; give one of at most 4 MiB"
            ])
    }

    @Test func `reject a weak secret unless insecure secrets are allowed`() throws {
        directory.environment["ONE"] = "whsec_" + String(repeating: "A", count: 32)
        let members = http("\(Self.url),\(Self.secret)")
        #expect(
            try directory.problems(members: members) == ["$.notifiers.backend.secret: not random enough to be a secret; \(Self.remedy)"])
        #expect(try directory.problems(members: #"\#(members),"allow_insecure_secrets":true"#) == [])
    }

    /// By index, because the arguments of tests are printed.
    private static let misspelt = [
        "whsec_", "whsec_AAAA", "whsec_" + String(repeating: "ABCD", count: 7) + "ABC", "whsec_" + String(repeating: "ABC-", count: 8),
        "whsec_" + String(repeating: "ABCD", count: 22), "WHSEC_" + String(repeating: "ABCD", count: 8),
        String(repeating: "ABCD", count: 8), "whsec_ABCD " + String(repeating: "ABCD", count: 8),
    ]

    @Test(arguments: misspelt.indices)
    func `reject a misspelt secret`(_ index: Int) throws {
        directory.environment["ONE"] = Self.misspelt[index]
        #expect(
            try directory.problems(members: http("\(Self.url),\(Self.secret)")) == [
                "$.notifiers.backend.secret: expected whsec_ and the base64 of 24 to 64 bytes; \(Self.remedy)"
            ])
    }

    @Test func `resolve paths from the file's directory`() throws {
        let bare = try directory.configuration(members: #""store":{}"#)
        #expect(bare.store.kind == .sqlite(path: directory.scratch.path("deskgate.db")))
        #expect(try directory.configuration(members: #""store":{"path":"/a/b"}"#).store.kind == .sqlite(path: "/a/b"))
        #expect(try directory.configuration(members: #""store":{"type":"memory"}"#).store.kind == .memory)
    }

    @Test func `are equal only if all members are`() throws {
        let before = try directory.configuration(members: http("\(Self.url),\(Self.secret)"))
        func isSame(_ members: String) throws -> Bool {
            let after = try directory.configuration(members: members)
            #expect(before.fixedKeys(differingFrom: after) == [], "no restart is needed")
            return before.notifiers == after.notifiers
        }
        #expect(try isSame(http("\(Self.url),\(Self.secret)")))
        for changed in [
            #"\#(Self.url),"secret":{"env":"TWO"}"#, #""url":"https://example.com/",\#(Self.secret)"#,
            "\(Self.url),\(Self.secret),\"timeout_seconds\":1", "\(Self.url),\(Self.secret),\"concurrency\":1",
            "\(Self.url),\(Self.secret),\"keeps_ticket_order\":true", #"\#(Self.url),\#(Self.secret),"proxy":"http://example.com""#,
        ] {
            #expect(try !isSame(http(changed)))
        }
        #expect(try !isSame(#""notifiers":{"log":{"type":"log"}}"#))
        let rest = #","store":{"max_pending":7},"deliveries":{"keep_dead_days":1}"#
        let other = try directory.configuration(members: http("\(Self.url),\(Self.secret)") + rest)
        #expect(
            before.fixedKeys(differingFrom: other) == [
                "$.deliveries.keep_dead_days", "$.store.max_pending", "$.store.max_pending_per_notifier",
            ])
    }
}
