import Configuration
import Service
import TestSupport
import Testing

@testable import AdminAPI
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus

@Suite struct ConfigurationRedactionTests {
    /// Contained in every secret here.
    private static let marker = "MARKER"
    /// In the form of a secret, but not random, so it is rejected.
    private static let wellFormed = marker + String(repeating: "A", count: 43 - marker.count)
    private static let malformed = "not \(marker) a secret"
    private static let signing = "whsec_\(marker)"
    private static let pem = "-----BEGIN PRIVATE KEY-----\\n\(marker)"

    private static let laterPEM = "\\n\(pem)"
    private static let account = #"{\"type\":\"service_account\",\"private_key\":\"-----BEGIN PRIVATE KEY-----\#(marker)\"}"#
    private static let address = "postgres://deskgate:\(marker)/x@db/desk"
    /// The marker has letters that are not hexadecimal.
    private static let digits = String(repeating: "c0ffee00", count: 8)
    private static let misplaced = [laterPEM, account, address, digits]

    /// A text in place of a secret's name.
    private static func sources(_ text: String) -> [String] { ["file", "env", "credential"].map { "{\"\($0)\":\"\(text)\"}" } }

    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        for (name, text) in [("good", Self.wellFormed), ("bad", Self.malformed)] {
            directory.environment[name.uppercased()] = text
            try directory.scratch.write("\(name).key", text)
            try directory.scratch.write("\(name)-open.key", text, mode: 0o644)
        }
    }

    /// Every value that can be in place of a secret.
    private static let secrets =
        [wellFormed, malformed, pem, signing].flatMap { ["\"\($0)\"", "[\"\($0)\"]", "[{\"file\":\"\($0)\"}]", "{\"value\":\"\($0)\"}"] }
        + ["good", "bad"].flatMap { name in
            [
                #"{"file":"\#(name).key"}"#, #"{"file":"\#(name)-open.key"}"#, #"{"env":"\#(name.uppercased())"}"#,
                #"{"file":"\#(name).key","env":"\#(name.uppercased())"}"#,
            ]
        }
        // A secret in place of its name, or of a key.
        + [
            #"{"file":"\#(wellFormed)"}"#, #"{"env":"\#(wellFormed)"}"#, #"{"credential":"\#(wellFormed)"}"#, #"{"\#(wellFormed)":"file"}"#,
            #"{"credential":"\#(malformed)"}"#, #"{"file":"\#(pem)"}"#, #"{"env":"\#(pem)"}"#, #"{"file":["\#(malformed)"]}"#,
            #"{"env":{"\#(wellFormed)":1}}"#,
        ]
        + misplaced.flatMap(sources)

    /// By index, because the arguments of tests are printed.
    @Test(arguments: secrets.indices, [false, true])
    func `reports no secret`(_ index: Int, isInsecureAllowed: Bool) throws {
        let secret = Self.secrets[index]
        let insecure = #""allow_insecure_secrets":\#(isInsecureAllowed)"#
        let keys = #"[{"id":1,"secret":\#(secret)},{"id":2,"secret":\#(secret)}]"#
        // Nested in another list, because a list of files is valid here, and the name of a missing file is reported.
        let webhook = #"{"secret":[\#(secret)],"signature_secret":[\#(secret)]}"#
        let notifier = #"{"type":"http","url":"\#(Self.malformed)","secret":[\#(secret)],"proxy":"\#(Self.pem)"}"#
        let json = """
            {"apps":[{"app_id":"a","keys":\(keys),"webhook":\(webhook),"notifiers":["\(Self.wellFormed)","\(Self.signing)"]},
                     {"app_id":"a","keys":\(keys),"webhook":\(secret),"notifiers":\(secret)}],
             "notifiers":{"\(Self.wellFormed)":\(notifier),"backend":\(notifier),"log":\(secret)},"admin":{"token":\(secret),"metrics_need_token":true,
                         "tokens":[\(secret),{"name":\(secret),"role":\(secret),"token":[\(secret)]},{"name":\(secret),"role":"read","token":[\(secret)]}]},
             "listen":{"allow":[\(secret)],"shared_header":{"name":\(secret),"secret":[\(secret),[\(secret)]]},"tls":{"certificate":"\(Self.pem)","key":"\(Self.pem)"}},"unknown":\(secret),\(insecure)}
            """
        let problems = try directory.problems(json)
        #expect(!problems.isEmpty)
        #expect(!problems.joined().contains(Self.marker))
        #expect(!problems.joined().contains(Self.digits))
    }

    @Test(arguments: misplaced.indices)
    func `a secret in place of a path is not reported`(_ index: Int) throws {
        let text = Self.misplaced[index]
        let problems = try directory.problems(
            members: """
                "store":{"path":"\(text)","revocations_path":"\(text)"},"admin":{"unix":"\(text)"},"listen":{"tls":{"certificate":"\(text)","key":"\(text)"}}
                """)
        for place in ["store.path", "store.revocations_path", "admin.unix"] {
            #expect(
                problems.contains("$.\(place): expected the path of a file, found a text that may hold a secret; give a path without one"))
        }
        let contents = "expected the path of a file, found a text that may be its contents; save them in a file, and give its path"
        #expect(problems.contains("$.listen.tls.certificate: \(contents)"))
        #expect(!problems.joined().contains(Self.marker))
        #expect(!problems.joined().contains(Self.digits))
    }

    @Test(arguments: [wellFormed, malformed])
    func `reports no secret from an invalid file`(_ secret: String) throws {
        for json in [#"{"apps":"\#(secret)"#, #"{"x":"\#(secret)","x":"\#(secret)"}"#, #""\#(secret)""#, "{\"\(secret)\n\"}"] {
            let problems = try directory.problems(json)
            #expect(!problems.isEmpty)
            #expect(!problems.joined().contains(Self.marker))
        }
    }

    @Test func `reports a secret in place of its name`() throws {
        #expect(
            try directory.problems(secret: #"{"env":"\#(Self.wellFormed)"}"#) == [
                "$.apps[0].keys[0].secret.env: expected the name of an environment variable, such as APP_KEY, without $ and not its value"
            ])
        #expect(
            try directory.problems(secret: #"{"file":"\#(Self.wellFormed)"}"#) == [
                "$.apps[0].keys[0].secret.file: expected the path of a file, found a text that may be its contents; save them in a file, and "
                    + "give its path"
            ])
        #expect(
            try directory.problems(members: #""\#(TestKey().text())":1"#) == [
                "$.(a possible secret): unknown key; known here: "
                    + "$schema, admin, allow_insecure_secrets, apps, bots, deliveries, listen, log, notifiers, operators, push_tokens, reload, "
                    + "security_keys, shutdown, store, traces"
            ])
    }
}
