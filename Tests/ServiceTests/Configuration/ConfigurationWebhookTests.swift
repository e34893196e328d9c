import Crypto
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct ConfigurationWebhookTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        directory.environment["SECRET"] = TestSecret.text(9)
    }

    private func apps(_ parts: String..., members: String = #""log":{}"#) -> String {
        let apps = parts.enumerated().map { index, part in
            #"{"app_id":"app \#(index)","keys":[{"id":1,"secret":{"file":"secrets/app-\#(index + 1).key"}}],\#(part)}"#
        }
        return #"{"apps":[\#(apps.joined(separator: ","))],\#(members)}"#
    }

    @Test func `can be set`() throws {
        let webhook = #""webhook":{"secret":{"env":"SECRET"},"signature_secret":{"file":"secrets/admin-token"}}"#
        let configuration = try directory.configuration(apps(webhook, #""notifiers":[]"#))
        #expect(configuration.apps[0].webhook?.secrets.map(\.count) == [43])
        #expect(configuration.apps[0].webhook?.signatureSecrets.map(\.count) == [43])
        #expect(configuration.apps[0].notifiers == ["log"])
        #expect(configuration.apps[1].webhook == nil)
        #expect(configuration.apps[1].notifiers == [])
    }

    @Test(arguments: ["secret", "signature_secret"])
    func `needs a secret`(_ key: String) throws {
        #expect(try directory.problems(apps(#""webhook":{"\#(key)":{"env":"SECRET"}}"#)) == [])
        #expect(
            try directory.problems(apps(#""webhook":{}"#)) == [
                #"$.apps[0].webhook: give "secret" or "signature_secret", or leave "webhook" out to take none"#
            ])
        #expect(
            try directory.problems(apps(#""webhook":{"\#(key)":null}"#)) == [
                #"$.apps[0].webhook.\#(key): expected {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, found null"#
            ])
        #expect(
            try directory.problems(apps(#""webhook":{"\#(key)":"\#(TestSecret.text(9))"}"#)) == [
                "$.apps[0].webhook.\(key): a secret must not be in the configuration; give "
                    + #"{"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, or set "allow_insecure_secrets": true at the top on a laptop"#
            ])
    }

    @Test(arguments: ["secret", "signature_secret"])
    func `a changed secret must be entered at the help desk`(_ key: String) throws {
        #expect(
            try directory.problems(apps(#""webhook":{"\#(key)":{"file":"none"}}"#)) == [
                "$.apps[0].webhook.\(key).file: cannot read DIR/none: No such file or directory; put it back, or, if none is in use yet, "
                    + "make one and give it to the help desk: deskgate secret new --out DIR/none"
            ])
    }

    @Test(arguments: ["secret", "signature_secret"])
    func `accepts a list during a rotation`(_ key: String) throws {
        directory.environment["NEXT"] = TestSecret.text(10)
        func webhook(_ list: String) -> String { apps(#""webhook":{"\#(key)":[\#(list)]}"#) }
        let taken = try directory.configuration(webhook(#"{"env":"NEXT"},{"env":"SECRET"}"#)).apps[0].webhook
        #expect([taken?.secrets.count, taken?.signatureSecrets.count] == (key == "secret" ? [2, 0] : [0, 2]))
        #expect(try directory.problems(webhook("")) == ["$.apps[0].webhook.\(key): expected at least one secret"])
        let shared = "$.apps[0].webhook.\(key)[1]: the same secret as $.apps[0].webhook.\(key)[0]; use each secret in one place only"
        #expect(try directory.problems(webhook(#"{"env":"NEXT"},{"env":"NEXT"}"#)) == [shared])
        let many = (11...19).map { number in
            directory.environment["S\(number)"] = TestSecret.text(number)
            return #"{"env":"S\#(number)"}"#
        }
        let problem = "$.apps[0].webhook.\(key): expected at most 8 secrets, found 9"
        #expect(try directory.problems(webhook(many.joined(separator: ","))).first == problem)
        #expect(try directory.problems(webhook(many.dropLast().joined(separator: ","))) == [])
    }

    /// A webhook without a secret in its path may belong to any of these apps.
    @Test func `limits the number of signature checks`() throws {
        func signers(_ app: Int, _ numbers: ClosedRange<Int>, path: String = "") -> String {
            let list = numbers.map { number in
                directory.environment["S\(number)"] = TestSecret.text(number)
                return #"{"env":"S\#(number)"}"#
            }
            return #""webhook":{\#(path)"signature_secret":[\#(list.joined(separator: ","))]}"#
        }
        let problem =
            "$.apps: 9 signature secrets would be tried for each webhook, at most 8 may be; "
            + #"give some of these apps a "webhook.secret" as well"#
        #expect(try directory.problems(apps(signers(0, 11...15), signers(1, 16...19))) == [problem])
        #expect(try directory.problems(apps(signers(0, 11...15), signers(1, 16...19, path: #""secret":{"env":"SECRET"},"#))) == [])
    }

    /// By index, because the arguments of tests are printed.
    private static let unusable = [
        "abcdefghijklmno", String(repeating: "abcdefgh", count: 16) + "i", "abcdefghijklmnop/", "abcdefghijklmnop qrst",
        "abcdefghijklmn%41",
        "abcdefghijklmnop\u{E9}", "abcdefghijklmnop+", "abcdefghijklmnop=",
    ]

    @Test(arguments: unusable.indices, [false, true])
    func `rejects an unusable secret in the path`(_ index: Int, isInsecureAllowed: Bool) throws {
        directory.environment["SECRET"] = Self.unusable[index]
        let json = apps(#""webhook":{"secret":{"env":"SECRET"}}"#, members: #""allow_insecure_secrets":\#(isInsecureAllowed)"#)
        #expect(
            try directory.problems(json) == [
                #"$.apps[0].webhook.secret: expected 16 to 128 letters, digits, "-", ".", "_" or "~"; give the last part of the webhook's "#
                    + "address, or, if the help desk has none yet, make one with: deskgate secret new"
            ])
    }

    @Test(arguments: [16, 128])
    func `accepts any URL-safe characters`(_ count: Int) throws {
        directory.environment["SECRET"] = String(String(repeating: "aZ09-._~", count: 16).prefix(count))
        #expect(try directory.problems(apps(#""webhook":{"secret":{"env":"SECRET"}}"#)) == [])
    }

    @Test func `rejects a short signature secret`() throws {
        directory.environment["SECRET"] = "abcdefghijklmno"
        let webhook = #""webhook":{"signature_secret":{"env":"SECRET"}}"#
        #expect(
            try directory.problems(apps(webhook)) == [
                "$.apps[0].webhook.signature_secret: expected at least 16 bytes; give the help desk a longer secret"
            ])
        #expect(try directory.problems(apps(webhook, members: #""allow_insecure_secrets":true"#)) == [])
    }

    @Test(arguments: ["secret", "signature_secret"])
    func `rejects a weak secret`(_ key: String) throws {
        directory.environment["SECRET"] = "abcdeabcdeabcdeabcde"
        let webhook = #""webhook":{"\#(key)":{"env":"SECRET"}}"#
        #expect(
            try directory.problems(apps(webhook)) == [
                "$.apps[0].webhook.\(key): not random enough to be a secret; make one with: deskgate secret new"
            ])
        #expect(try directory.problems(apps(webhook, members: #""allow_insecure_secrets":true"#)) == [])
    }

    @Test func `rejects a shared secret`() throws {
        let both = #""webhook":{"secret":{"env":"SECRET"},"signature_secret":{"env":"SECRET"}}"#
        let shared = "the same secret as $.apps[0].webhook.secret; use each secret in one place only"
        #expect(try directory.problems(apps(both)) == ["$.apps[0].webhook.signature_secret: \(shared)"])
        let one = #""webhook":{"secret":{"env":"SECRET"}}"#
        #expect(try directory.problems(apps(one, one)) == ["$.apps[1].webhook.secret: \(shared)"])
        #expect(try directory.problems(apps(one, both, members: #""allow_insecure_secrets":true"#)) == [])
        #expect(
            try directory.problems(apps(#""webhook":{"secret":{"file":"secrets/app-1.key"}}"#)) == [
                "$.apps[0].webhook.secret: the same secret as $.apps[0].keys[0].secret; use each secret in one place only"
            ])
    }

    @Test func `rejects a secret that all users can read`() throws {
        try directory.scratch.write("open", TestSecret.text(9), mode: 0o644)
        #expect(
            try directory.problems(apps(#""webhook":{"secret":{"file":"open"}}"#)) == [
                "$.apps[0].webhook.secret.file: DIR/open can be read by everyone; run chmod 600 on it, "
                    + #"or set "allow_insecure_secrets": true at the top on a laptop"#
            ])
    }

    @Test(arguments: [
        (#""log""#, #"$.apps[0].notifiers: expected a list, found a string; write ["…"]"#),
        ("null", #"$.apps[0].notifiers: expected a list, found null; write ["…"]"#),
        ("[7]", "$.apps[0].notifiers[0]: expected the name of a notifier, found a number"),
        (#"["log","none"]"#, "$.apps[0].notifiers[1]: no notifier has this name; known are: log"),
        (#"["log","log"]"#, "$.apps[0].notifiers[1]: the app has this notifier already"),
        (#"[""]"#, "$.apps[0].notifiers[0]: no notifier has this name; known are: log"),
    ])
    func `accepts only existing notifiers`(list: String, problem: String) throws {
        #expect(try directory.problems(apps(#""notifiers":\#(list)"#)) == [problem])
    }

    @Test func `requires a list without a log`() throws {
        let members = #""notifiers":{"journal":{"type":"log"}}"#
        #expect(try directory.problems(apps(#""notifiers":["journal"]"#, members: members)) == [])
        #expect(try directory.configuration(apps(#""notifiers":[]"#, members: members)).apps[0].notifiers == [])
        #expect(
            try directory.problems(apps(#""webhook":{"secret":{"env":"SECRET"}}"#, members: members)) == [
                #"$.apps[0].notifiers: missing; "log" is not configured, so name the notifiers of this app's events"#
            ])
    }
}
