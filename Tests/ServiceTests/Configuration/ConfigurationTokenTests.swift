import Testing
import Time

@testable import Configuration

@Suite struct ConfigurationTokenTests {
    private static let tokens = AdminToken.Role.allCases.map {
        #"{"name":"\#($0)-holder","role":"\#($0)","token":{"file":"secrets/\#($0)-token"}}"#
    }
    private static let admin = #"{"file":"secrets/admin-token"}"#

    private static let again = "copy it again, or, if none is in use yet, make one with: deskgate secret new"

    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
    }

    private func problems(_ tokens: String, _ members: String = "") throws -> [String] {
        try directory.problems(members: #""admin":{"token":\#(Self.admin),"tokens":\#(tokens)\#(members)}"#)
    }

    @Test func `have names, roles and paths`() throws {
        let list = (Self.tokens + [#"{"name":"next","role":"mint","token":{"env":"NEXT"}}"#]).joined(separator: ",")
        directory.environment["NEXT"] = TestSecret.text(240)
        let configuration = try directory.configuration(members: #""admin":{"tokens":[\#(list)],"token":\#(Self.admin)}"#)
        let tokens = configuration.admin.tokens
        #expect(tokens.map(\.name) == ["admin.token", "mint-holder", "read-holder", "operate-holder", "next"])
        #expect(tokens.map(\.place) == ["admin.token"] + (0..<4).map { "admin.tokens[\($0)]" })
        #expect(tokens.map(\.role) == [.operate, .mint, .read, .operate, .mint])
        func sufficient(_ role: AdminToken.Role) -> [Int] { tokens.indices.filter { tokens[$0].has(role) } }
        #expect(sufficient(.mint) == [0, 1, 4])
        #expect(sufficient(.read) == [0, 2, 3])
        #expect(sufficient(.operate) == [0, 3])
    }

    @Test(arguments: [
        ("[]", #"$.admin.tokens: expected at least one token, or no "tokens""#),
        ("{}", #"$.admin.tokens: expected a list, found an object; write [{"name": …, "role": …, "token": …}]"#),
        ("null", #"$.admin.tokens: expected a list, found null; write [{"name": …, "role": …, "token": …}]"#),
        ("[7]", "$.admin.tokens[0]: expected an object, found a number"),
        (
            #"[{"name":"a","token":{"file":"secrets/read-token"}}]"#, #"$.admin.tokens[0].role: missing; give "mint", "read" or "operate""#
        ),
        (
            #"[{"name":"a","role":"admin","token":{"file":"secrets/read-token"}}]"#,
            #"$.admin.tokens[0].role: expected one of "mint", "read", "operate""#
        ),
        (
            #"[{"name":"a","role":"read"}]"#,
            #"$.admin.tokens[0].token: missing; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#
        ),
        (
            #"[{"name":"a","role":"read","token":{"env":"SHORT"}}]"#,
            "$.admin.tokens[0].token: expected at least 32 visible ASCII characters; found 5 characters; \(again)"
        ),
        (
            #"[{"name":"a","role":"read","token":{"file":"secrets/admin-token"}}]"#,
            "$.admin.tokens[0].token: the same token as $.admin.token; give each entry a token of its own"
        ),
        (
            #"[\#(tokens[0]),\#(tokens[1]),{"name":"a","role":"mint","token":{"file":"secrets/mint-token"}}]"#,
            "$.admin.tokens[2].token: the same token as $.admin.tokens[0].token; give each entry a token of its own"
        ),
        (
            #"[{"name":"a","role":"read","token":{"file":"secrets/app-1.key"}}]"#,
            "$.apps[0].keys[0].secret: the same secret as $.admin.tokens[0].token; give each key a secret of its own"
        ),
    ])
    func `mistakes are reported`(tokens: String, problem: String) throws {
        directory.environment["SHORT"] = "short"
        #expect(try problems(tokens) == [problem])
    }

    /// The error for a configuration of an earlier version contains the missing member.
    @Test(arguments: [(AdminToken.Role.mint, "backend"), (.read, "prometheus"), (.operate, "anna")])
    func `each needs a name`(_ role: AdminToken.Role, _ sample: String) throws {
        let problem =
            "$.admin.tokens[0].name: missing; name the sender of this token for audit lines and revocations: "
            + #"add a name such as "name": "\#(sample)""#
        #expect(try problems(#"[{"role":"\#(role)","token":{"file":"secrets/read-token"}}]"#) == [problem])
    }

    @Test(arguments: ["anna", "a", "Anna.K-2_X", "7", String(repeating: "n", count: 64)])
    func `names are plain`(_ name: String) throws {
        #expect(try problems(#"[{"name":"\#(name)","role":"read","token":{"file":"secrets/read-token"}}]"#) == [])
    }

    @Test(arguments: [
        ("7", "expected a non-empty string, found a number"), ("null", "expected a non-empty string, found null"),
        (#""""#, "expected a non-empty string, found an empty string"),
        (#""anna k""#, #"expected a name of 1 to 64 letters, digits, "-", "_" or ".""#),
        (#""anna@example.com""#, #"expected a name of 1 to 64 letters, digits, "-", "_" or ".""#),
        (#""Анна""#, #"expected a name of 1 to 64 letters, digits, "-", "_" or ".""#),
        ("\"\(String(repeating: "a", count: 65))\"", #"expected a name of 1 to 64 letters, digits, "-", "_" or ".""#),
        ("\"\(TestSecret.text(77))\"", "looks like a secret, and the log shows names; give the name of the token's sender"),
        (#""admin.token""#, "the same name as $.admin.token; give each token a name of its own"),
        (#""mint-holder""#, "the same name as $.admin.tokens[0]; give each token a name of its own"),
        (#""MINT-holder""#, "the same name as $.admin.tokens[0]; give each token a name of its own"),
    ])
    func `other names are rejected`(_ name: String, _ problem: String) throws {
        let list = #"[\#(Self.tokens[0]),{"name":\#(name),"role":"read","token":{"file":"secrets/read-token"}}]"#
        #expect(try problems(list) == ["$.admin.tokens[1].name: \(problem)"])
    }

    @Test(arguments: [
        ("anna", "anna"), ("CORP\\anna", "CORP_anna"), ("user 1000", "user_1000"), ("ü", "__"), ("", "_"),
        (String(repeating: "a", count: 70), String(repeating: "a", count: 64)),
    ])
    func `a system user has a plain name`(_ user: String, _ name: String) {
        #expect(PlainName.resembling(user) == name)
    }

    @Test func `must differ even if insecure secrets are allowed`() throws {
        let twice = #"[{"name":"a","role":"read","token":"x"},{"name":"b","role":"mint","token":"x"}]"#
        #expect(
            try directory.problems(members: #""admin":{"tokens":\#(twice)},"allow_insecure_secrets":true"#) == [
                "$.admin.tokens[1].token: the same token as $.admin.tokens[0].token; give each entry a token of its own"
            ])
    }

    @Test func `are limited to 32`() throws {
        for count in [32, 33] {
            let list = (0..<count).map { number in
                directory.environment["TOKEN_\(number)"] = TestSecret.text(30 + number) + TestSecret.text(30 + number)
                return #"{"name":"reader-\#(number)","role":"read","token":{"env":"TOKEN_\#(number)"}}"#
            }
            #expect(
                try problems("[\(list.joined(separator: ","))]")
                    == (count == 32 ? [] : ["$.admin.tokens: expected at most 32 tokens, found 33"]))
        }
    }

    @Test(arguments: AdminToken.Role.allCases) func `of any role can read protected metrics`(_ role: AdminToken.Role) throws {
        let member = #""admin":{"metrics_need_token":true,"tokens":[{"name":"a","role":"\#(role)","token":{"file":"secrets/read-token"}}]}"#
        let problem = #"$.admin.tokens: none has the role "read" or "operate", and "metrics_need_token" is true"#
        #expect(try directory.problems(members: member) == (role == .mint ? [problem] : []))
    }

    /// Otherwise an operator would notice it only when a command is needed.
    @Test(
        arguments: [
            (
                ["mint"],
                #"none has the role "read" or "operate", so no command can ask a service that runs, nor can /metrics be read from other machines"#
            ),
            (["mint", "read"], #"none has the role "operate", so no command can change anything in a service that runs"#),
            (["operate"], nil), (["mint", "operate"], nil), ([], nil),
        ] as [([String], String?)])
    func `without a token for a command cause a warning`(roles: [String], warning: String?) throws {
        let list = roles.map { #"{"name":"\#($0)-holder","role":"\#($0)","token":{"file":"secrets/\#($0)-token"}}"# }.joined(separator: ",")
        let tokens = roles.isEmpty ? "" : #""tokens":[\#(list)]"#
        func warnings(_ admin: String) throws -> [String] {
            try directory.configuration(members: #""admin":{\#(admin)}"#).warnings(now: 0).map(\.description)
        }
        let expected = warning.map { ["$.admin.tokens: \($0); add one, or set $.admin.token"] } ?? []
        #expect(try warnings(tokens) == expected)
        if !roles.isEmpty { #expect(try warnings(#""token":\#(Self.admin),\#(tokens)"#) == []) }
    }
}
