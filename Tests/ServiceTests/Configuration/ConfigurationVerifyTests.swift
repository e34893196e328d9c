import Core
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// `apps[].verify`: whether and how a backend is called.
@Suite struct ConfigurationVerifyTests {
    private static let right = #""url":"https://example.com/may-chat","secret":{"file":"secrets/backend.whsec"}"#
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/backend.whsec", TestSecret.signing(5))
    }

    private func json(_ verify: String, keys: String = #""keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"#) -> String {
        #"{"apps":[{"app_id":"shop",\#(keys)"verify":\#(verify)}]}"#
    }

    private func settings(_ members: String) throws -> Configuration.Verify? {
        try directory.configuration(json("{\(members)}")).apps[0].verify
    }

    @Test func `has defaults`() throws {
        let verify = try #require(try settings(#""mode":"key_and_backend",\#(Self.right)"#))
        #expect(verify.mode == .keyAndBackend)
        #expect(verify.url == "https://example.com/may-chat")
        #expect(verify.secrets.count == 1)
        #expect(verify.timeoutMilliseconds == TimeLimit.milliseconds(500))
        #expect(verify.lifetimes == AnswerLifetimes(positiveSeconds: 60, negativeSeconds: 10))
        #expect(verify.whenUndecided == .error)
        #expect(try verify.signingSecrets().count == 1)
    }

    @Test func `can be set`() throws {
        let members = #""timeout_ms":800,"cache":{"positive_seconds":0,"negative_seconds":86400},"when_undecided":"deny""#
        let verify = try #require(try settings(#""mode":"backend",\#(Self.right),\#(members)"#))
        #expect(verify.mode == .backend)
        #expect(verify.timeoutMilliseconds == 800)
        #expect(verify.lifetimes == AnswerLifetimes(positiveSeconds: 0, negativeSeconds: 86_400))
        #expect(verify.whenUndecided == .deny)
    }

    @Test(arguments: ["", #""mode":"key""#, #""mode":"key",\#(right)"#]) func `is optional`(members: String) throws {
        #expect(try settings(members) == nil)
        #expect(try directory.configuration(members: #""log":{}"#).apps[0].verify == nil)
    }

    @Test(arguments: [
        ("7", "$.apps[0].verify: expected an object, found a number"),
        (#"{"mod":"key"}"#, #"$.apps[0].verify.mod: unknown key; did you mean "mode"?"#),
        (#"{"mode":"both"}"#, #"$.apps[0].verify.mode: expected one of "key", "backend", "key_and_backend""#),
        (
            "{\(right)}", #"$.apps[0].verify.mode: missing, so "url" is never asked; give "key_and_backend", "backend" or "key""#
        ),
        (
            #"{"mode":"backend","url":"https://example.com/"}"#,
            #"$.apps[0].verify.secret: missing; give the secret that signs the calls as {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#
        ),
        (
            #"{"mode":"backend","secret":{"file":"secrets/backend.whsec"}}"#,
            "$.apps[0].verify.url: missing; give the address to ask, such as https://example.com/may-chat"
        ),
        (
            #"{"mode":"backend","url":"http://example.com/","secret":{"file":"secrets/backend.whsec"}}"#,
            "$.apps[0].verify.url: plain http leaves this machine unprotected; give an https address"
        ),
        (
            #"{"mode":"backend","url":"https://example.com/?user={user_id}","secret":{"file":"secrets/backend.whsec"}}"#,
            "$.apps[0].verify.url: placeholders such as {user_id} are not replaced; leave them out: the request is a POST whose JSON has "
                + "app_id and user_id"
        ),
        (
            #"{"mode":"backend","url":"https://me:pw@example.com/","secret":{"file":"secrets/backend.whsec"}}"#,
            "$.apps[0].verify.url: an address is no place for a user or a password; remove all up to the @"
        ),
        (
            #"{"mode":"backend","url":"https://example.com/","secret":{"file":"secrets/app-1.key"}}"#,
            "$.apps[0].verify.secret: expected whsec_ and the base64 of 24 to 64 bytes; "
                + #"make one with: echo "whsec_$(openssl rand -base64 32)""#
        ),
        (
            #"{"mode":"backend",\#(right),"timeout_ms":9}"#,
            "$.apps[0].verify.timeout_ms: expected an integer from 10 to 10000, found 9; if that is in seconds, give 9000"
        ),
        (
            #"{"mode":"backend",\#(right),"cache":{"positive_seconds":86401}}"#,
            "$.apps[0].verify.cache.positive_seconds: expected an integer from 0 to 86400, found 86401"
        ),
        (
            #"{"mode":"backend",\#(right),"cache":{"negative_seconds":-1}}"#,
            "$.apps[0].verify.cache.negative_seconds: expected an integer from 0 to 86400, found -1"
        ),
        (
            #"{"mode":"backend",\#(right),"when_undecided":"allow_if_key_valid"}"#,
            #"$.apps[0].verify.when_undecided: in mode "backend" no key is checked that could be valid; "#
                + #"give "error" or "deny", or the mode "key_and_backend""#
        ),
    ])
    func `mistakes are reported`(verify: String, problem: String) throws {
        #expect(try directory.problems(json(verify)) == [problem])
    }

    @Test func `keys are optional only in backend mode`() throws {
        let missing = #"$.apps[0].keys: missing; give [{"id": 1, "secret": {"file": "PATH"}}]"#
        #expect(try directory.problems(json(#"{"mode":"backend",\#(Self.right)}"#, keys: "")) == [])
        #expect(try directory.problems(json(#"{"mode":"key_and_backend",\#(Self.right)}"#, keys: "")) == [missing])
        #expect(try directory.problems(json(#"{"mode":"key"}"#, keys: "")) == [missing])
        #expect(
            try directory.problems(json(#"{"mode":"backend",\#(Self.right)}"#, keys: #""keys":[],"#))
                == ["$.apps[0].keys: expected at least one key"])
    }

    @Test func `allows plain HTTP to this machine`() throws {
        let members = #""mode":"backend","url":"http://127.0.0.1:8081/","secret":{"file":"secrets/backend.whsec"}"#
        #expect(try settings(members)?.url == "http://127.0.0.1:8081/")
    }

    @Test(arguments: [("backend", 1), ("key_and_backend", 0)]) func `a relay without valid keys causes a warning`(mode: String, count: Int)
        throws
    {
        let app = #"{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"notifiers":["pyrus"],"#
        let json = #"{"notifiers":{"pyrus":{"type":"pyrus"}},"apps":[\#(app)"verify":{"mode":"\#(mode)",\#(Self.right)}}]}"#
        let warnings = try directory.configuration(json).warnings(now: 0)
        #expect(warnings.map(\.path) == Array(repeating: "$.apps[0].notifiers", count: count))
    }

    @Test func `a change needs no restart`() throws {
        let one = try directory.configuration(json(#"{"mode":"backend",\#(Self.right)}"#))
        let other = try directory.configuration(json(#"{"mode":"key_and_backend",\#(Self.right),"timeout_ms":10}"#))
        #expect(one.fixedKeys(differingFrom: other) == [])
    }
}
