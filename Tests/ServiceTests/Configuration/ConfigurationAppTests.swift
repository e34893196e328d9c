import Core
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The list of apps and their keys, and the admin token.
@Suite struct ConfigurationAppTests {
    private let directory: ConfigurationDirectory
    private static let key = #"{"id":1,"secret":{"file":"secrets/app-1.key"}}"#

    init() throws {
        directory = try ConfigurationDirectory()
    }

    @Test(arguments: [
        ("{}", "$.apps: missing; list the apps that may use the chat"),
        (#"{"apps":[]}"#, "$.apps: expected at least one app"),
        (#"{"apps":{}}"#, #"$.apps: expected a list, found an object; write [{"app_id": …}]"#),
        (#"{"apps":null}"#, #"$.apps: expected a list, found null; write [{"app_id": …}]"#),
        (#"{"apps":["shop"]}"#, "$.apps[0]: expected an object, found a string"),
        (#"{"apps":[{"keys":[\#(key)]}]}"#, "$.apps[0].app_id: missing; give the app_id that the help desk shows"),
        (
            #"{"apps":[{"app_id":7,"keys":[\#(key)]}]}"#,
            "$.apps[0].app_id: expected a non-empty string, found a number; put it in double quotes"
        ),
        (
            #"{"apps":[{"app_id":"a\nb","keys":[\#(key)]}]}"#,
            "$.apps[0].app_id: expected at most 255 UTF-16 code units and no control characters"
        ),
        (#"{"apps":[{"app_id":"a\u0000b","keys":[\#(key)]}]}"#, "$.apps[0].app_id: expected a string without the character U+0000"),
        (
            #"{"apps":[{"app_id":"\#(String(repeating: "x", count: 256))","keys":[\#(key)]}]}"#,
            "$.apps[0].app_id: expected at most 255 UTF-16 code units and no control characters"
        ),
        (
            #"{"apps":[{"app_id":"shop","help_desk":"other","keys":[\#(key)]}]}"#,
            #"$.apps[0].help_desk: expected one of "pyrus", "sendbird""#
        ),
        (
            #"{"apps":[{"app_id":"shop","help_desk":1,"keys":[\#(key)]}]}"#,
            "$.apps[0].help_desk: expected a non-empty string, found a number"
        ),
        (
            #"{"apps":[{"app_id":"shop"}]}"#, #"$.apps[0].keys: missing; give [{"id": 1, "secret": {"file": "PATH"}}]"#
        ),
        (#"{"apps":[{"app_id":"shop","keys":[]}]}"#, "$.apps[0].keys: expected at least one key"),
        (
            #"{"apps":[{"app_id":"shop","keys":"x"}]}"#,
            #"$.apps[0].keys: expected a list, found a string; write [{"id": …, "secret": …}]"#
        ),
        (#"{"apps":[{"app_id":"shop","keys":[1]}]}"#, "$.apps[0].keys[0]: expected an object, found a number"),
    ])
    func `mistakes are reported`(json: String, problem: String) throws {
        #expect(try directory.problems(json) == [problem])
    }

    @Test(arguments: [("", AnonymousRule.reject), (#""anonymous":"reject","#, .reject), (#""anonymous":"accept","#, .accept)])
    func `anonymous webhooks are rejected by default`(member: String, rule: AnonymousRule) throws {
        let configuration = try directory.configuration(#"{"apps":[{"app_id":"shop",\#(member)"keys":[\#(Self.key)]}]}"#)
        #expect(configuration.apps.map(\.anonymous) == [rule])
    }

    @Test func `an unknown rule for anonymous webhooks is a mistake`() throws {
        let json = #"{"apps":[{"app_id":"shop","anonymous":"allow","keys":[\#(Self.key)]}]}"#
        #expect(try directory.problems(json) == [#"$.apps[0].anonymous: expected one of "reject", "accept""#])
    }

    @Test(arguments: ["", #""help_desk":"pyrus","#]) func `apps have the first help desk by default`(member: String) throws {
        let configuration = try directory.configuration(#"{"apps":[{"app_id":"shop",\#(member)"keys":[\#(Self.key)]}]}"#)
        #expect(configuration.apps.map(\.helpDesk) == [.pyrus])
    }

    @Test(arguments: [
        (#"{"secret":{"file":"secrets/app-1.key"}}"#, "$.apps[0].keys[0].id: missing; number the keys of an app from 1"),
        (
            #"{"id":-1,"secret":{"file":"secrets/app-1.key"}}"#,
            "$.apps[0].keys[0].id: expected an integer from 0 to 4294967295, found -1"
        ),
        (
            #"{"id":4294967296,"secret":{"file":"secrets/app-1.key"}}"#,
            "$.apps[0].keys[0].id: expected an integer from 0 to 4294967295, found 4294967296"
        ),
        (
            #"{"id":1,"secret":{"file":"secrets/app-1.key"},"state":"retired"}"#,
            #"$.apps[0].keys[0].state: expected one of "active", "verify_only""#
        ),
        (
            #"{"id":1,"secret":{"file":"secrets/app-1.key"},"not_after":0}"#,
            "$.apps[0].keys[0].not_after: expected an integer from 1 to 1099511627775, found 0"
        ),
        (#"{"id":1}"#, #"$.apps[0].keys[0].secret: missing; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#),
    ])
    func `mistakes in keys are reported`(key: String, problem: String) throws {
        #expect(try directory.problems(keys: key) == [problem])
    }

    @Test func `keys may have the lowest and highest number`() throws {
        let keys = #"{"id":4294967295,"secret":{"file":"secrets/app-2.key"}},{"id":0,"secret":{"file":"secrets/app-1.key"}}"#
        let configuration = try directory.configuration(#"{"apps":[{"app_id":"shop","keys":[\#(keys)]}]}"#)
        #expect(configuration.apps[0].keys.map(\.id) == [4_294_967_295, 0])
    }

    @Test func `keys are active without end by default`() throws {
        let end = #""state":"verify_only","not_after":1800000000"#
        let keys = #"\#(Self.key),{"id":2,"secret":{"file":"secrets/app-2.key"},\#(end)}"#
        let configuration = try directory.configuration(#"{"apps":[{"app_id":"shop","keys":[\#(keys)]}]}"#)
        #expect(configuration.apps[0].keys.map(\.state) == [.active, .verifyOnly])
        #expect(configuration.apps[0].keys.map(\.notAfter) == [nil, 1_800_000_000])
        let keysInForce = try configuration.makeAuthorizer().applications[0].keys
        #expect(keysInForce.map(\.state) == [.active, .verifyOnly])
        #expect(keysInForce.map(\.notAfter) == [nil, 1_800_000_000])
    }

    @Test func `a key ID is unique even if a secret is invalid`() throws {
        #expect(
            try directory.problems(keys: #"{"id":1,"secret":{"env":"NONE"}},\#(Self.key)"#) == [
                "$.apps[0].keys[0].secret.env: the environment variable NONE is not set; set it beforehand",
                "$.apps[0].keys[1].id: another key of this app has this id already",
            ])
    }

    @Test func `an app ID is unique by its bytes`() throws {
        func apps(_ first: String, _ second: String) -> String {
            let other = #"{"id":1,"secret":{"file":"secrets/app-2.key"}}"#
            return #"{"apps":[{"app_id":"\#(first)","keys":[\#(Self.key)]},{"app_id":"\#(second)","keys":[\#(other)]}]}"#
        }
        #expect(try directory.problems(apps("shop", "shop")) == ["$.apps[1].app_id: another app has this app_id already"])
        #expect(try directory.problems(apps("caf\u{E9}", "cafe\u{301}")) == [])
    }

    private static let again = "copy it again, or, if none is in use yet, make one with: deskgate secret new"

    @Test(arguments: [
        (String(repeating: "t", count: 31), "found 31 characters; \(again)"),
        (String(repeating: "t", count: 16) + " " + String(repeating: "t", count: 16), "found 33 characters; \(again)"),
        (String(repeating: "t", count: 32) + "\u{7F}", "found 33 characters; \(again)"),
        (String(repeating: "\u{E9}", count: 32), "found 32 characters; \(again)"),
        ("Bearer " + TestSecret.text(1), #"found 50 characters that begin with "Bearer "; leave only the rest"#),
        ("null", "found 4 characters, a placeholder that nothing has replaced; put the secret in its place"),
    ])
    func `an admin token must fit in a header`(_ token: String, _ finding: String) throws {
        directory.environment["TOKEN"] = token
        #expect(
            try directory.problems(members: #""admin":{"token":{"env":"TOKEN"}}"#) == [
                "$.admin.token: expected at least 32 visible ASCII characters; \(finding)"
            ])
        #expect(try directory.problems(members: #""admin":{"token":{"env":"TOKEN"}},"allow_insecure_secrets":true"#) == [])
    }

    @Test func `an admin token may have 32 visible characters`() throws {
        directory.environment["TOKEN"] = String(repeating: "~!abcdef", count: 4)
        #expect(try directory.problems(members: #""admin":{"token":{"env":"TOKEN"}}"#) == [])
    }

    @Test func `an admin token must be random`() throws {
        directory.environment["TOKEN"] = String(repeating: "~!", count: 16)
        #expect(
            try directory.problems(members: #""admin":{"token":{"env":"TOKEN"}}"#) == [
                "$.admin.token: not random enough to be a secret; make one with: deskgate secret new"
            ])
        #expect(try directory.problems(members: #""admin":{"token":{"env":"TOKEN"}},"allow_insecure_secrets":true"#) == [])
    }

    /// The token comes first, so the error names its other occurrence; an app's secret is compared by its decoded bytes.
    @Test(arguments: ["webhook.secret", "webhook.signature_secret", "keys[0].secret"])
    func `an admin token must differ from all secrets`(_ place: String) throws {
        let token = #"{"file":"secrets/admin-token"}"#
        let key = place.hasPrefix("keys") ? token : #"{"file":"secrets/app-1.key"}"#
        let webhook = place.hasPrefix("keys") ? "" : #","webhook":{"\#(place.dropFirst("webhook.".count))":\#(token)}"#
        let apps = #""apps":[{"app_id":"shop","keys":[{"id":1,"secret":\#(key)}]\#(webhook)}],"admin":{"token":\#(token)}"#
        let problems = try directory.problems("{\(apps)}")
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("$.apps[0].\(place): the same secret as $.admin.token; ") == true)
        #expect(try directory.problems("{\(apps),\"allow_insecure_secrets\":true}") == [])
    }
}
