import Bytes
import HTTPServer
import Testing
import Time

@testable import Configuration
@testable import Pyrus
@testable import Sendbird

/// `listen.allow` and `listen.shared_header`: who may call the public listener.
@Suite struct ConfigurationCallersTests {
    private static let example = "192.0.2.0/24 or 2001:db8::/32; one address is 192.0.2.7/32"
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        directory.environment["SHARED"] = TestSecret.text(40)
        directory.environment["NEXT"] = TestSecret.text(41)
        directory.environment["SHORT"] = "fifteen-letters"
        directory.environment["SPACED"] = "sixteen letters and more"
        directory.environment["LONG"] = String(repeating: TestSecret.text(42), count: 12)
    }

    @Test func `are unrestricted by default`() throws {
        let callers = try directory.configuration("{\(ConfigurationDirectory.apps)}").callers
        #expect(callers.networks == nil)
        #expect(callers.sharedHeader == nil)
        #expect(!callers.areRestricted)
    }

    @Test func `are read`() throws {
        let callers = try directory.configuration(
            members: #""listen":{"allow":["192.0.2.0/24","2001:db8::/32"],"#
                + #""shared_header":{"name":"X-Shared-Secret","secret":[{"env":"SHARED"},{"env":"NEXT"}]}}"#
        ).callers
        #expect(callers.networks?.map(\.description) == ["192.0.2.0/24", "2001:db8::/32"])
        #expect(callers.sharedHeader?.name == "X-Shared-Secret")
        #expect(callers.sharedHeader?.secrets.count == 2)
        #expect(callers.areRestricted)
    }

    @Test(arguments: [
        ("[]", ": expected at least one network, such as \(example)"),
        (#""10.0.0.0/8""#, #": expected a list, found a string; write ["…"]"#),
        ("[7]", "[0]: expected a network such as \(example), found a number"),
        (#"["10.0.0.0/8","10.0.0.7"]"#, "[1]: expected a network such as \(example)"),
        (#"["10.0.0.7/8"]"#, "[0]: the address has bits beyond the prefix; the network is 10.0.0.0/8"),
    ])
    func `networks are checked`(_ list: String, _ problem: String) throws {
        #expect(try directory.problems(members: #""listen":{"allow":\#(list)}"#) == ["$.listen.allow\(problem)"])
    }

    @Test func `networks are at most 1000`() throws {
        for count in [1000, 1001] {
            let list = (0..<count).map { "\"10.0.\($0 / 250).\($0 % 250)/32\"" }.joined(separator: ",")
            let problem = "$.listen.allow: expected at most 1000 networks, found 1001"
            #expect(try directory.problems(members: #""listen":{"allow":[\#(list)]}"#) == (count == 1000 ? [] : [problem]))
        }
    }

    @Test func `trusted proxies are read`() throws {
        func proxies(_ list: String) throws -> TrustedProxies? {
            try directory.configuration(members: #""listen":{"allow":["192.0.2.0/24"],"trusted_proxies":\#(list)}"#).callers.trustedProxies
        }
        let found = try #require(try proxies(#"["10.0.0.0/8","2001:db8::1/128"]"#))
        #expect(found.networks.map(\.description) == ["10.0.0.0/8", "2001:db8::1/128"])
        #expect(!found.includeUnixSocket)
        let socket = try #require(try proxies(#"["unix"]"#))
        #expect(socket.networks.isEmpty)
        #expect(socket.includeUnixSocket)
        #expect(try directory.configuration("{\(ConfigurationDirectory.apps)}").callers.trustedProxies == nil)
    }

    @Test(arguments: [
        ("[]", ": expected at least one network, such as \(example)"), (#""unix""#, #": expected a list, found a string; write ["…"]"#),
        (#"["unix","proxy"]"#, "[1]: expected a network such as \(example)"),
        (#"["10.0.0.7/8"]"#, "[0]: the address has bits beyond the prefix; the network is 10.0.0.0/8"),
        (#"["0.0.0.0/0"]"#, "[0]: every caller would be believed; give the addresses of the proxies alone"),
        (#"["10.0.0.0/8","::/0"]"#, "[1]: every caller would be believed; give the addresses of the proxies alone"),
    ])
    func `trusted proxies are checked`(_ list: String, _ problem: String) throws {
        #expect(try directory.problems(members: #""listen":{"trusted_proxies":\#(list)}"#) == ["$.listen.trusted_proxies\(problem)"])
    }

    private static func lengths(_ count: Int) -> String {
        "expected 16 to 512 visible ASCII characters; found \(count) characters; copy it again, or, if none is in use yet, "
            + "make one with: deskgate secret new"
    }

    @Test(
        arguments: [
            (#""secret":{"env":"SHARED"}"#, "name: missing; give the header's name, such as X-Shared-Secret"),
            (#""name":"X Y","secret":{"env":"SHARED"}"#, "name: expected a header's name, such as X-Shared-Secret"),
            (#""name":"X-Ü","secret":{"env":"SHARED"}"#, "name: expected a header's name, such as X-Shared-Secret"),
            (
                #""name":"x-REQUEST-id","secret":{"env":"SHARED"}"#,
                "name: this header has a meaning of its own; give another one, such as X-Shared-Secret"
            ),
            (#""name":"X-S""#, #"secret: missing; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#),
            (#""name":"X-S","secret":[]"#, "secret: expected at least one secret"),
            (#""name":"X-S","secret":{"env":"SHORT"}"#, "secret: \(lengths(15))"),
            (#""name":"X-S","secret":{"env":"SPACED"}"#, "secret: \(lengths(24))"),
            (#""name":"X-S","secret":[{"env":"SHARED"},{"env":"LONG"}]"#, "secret[1]: \(lengths(516))"),
            (
                #""name":"X-S","secret":{"file":"secrets/app-1.key"}"#, nil
            ),
        ] as [(String, String?)])
    func `the shared header is checked`(_ members: String, _ problem: String?) throws {
        let problems = try directory.problems(members: #""listen":{"shared_header":{\#(members)}}"#)
        // An app's secret is parsed earlier.
        let shared = "$.listen.shared_header.secret: the same secret as $.apps[0].keys[0].secret; use each secret in one place only"
        #expect(problems == [problem.map { "$.listen.shared_header.\($0)" } ?? shared])
    }

    @Test(arguments: ["X-Pyrus-Sig", "X-Sendbird-Signature", "x-hub-signature"])
    func `the shared header must not be the signature header of a help desk`(_ name: String) throws {
        let problems = try directory.problems(members: #""listen":{"shared_header":{"name":"\#(name)","secret":{"env":"SHARED"}}}"#)
        let message = "this header has a meaning of its own; give another one, such as X-Shared-Secret"
        #expect(problems == ["$.listen.shared_header.name: \(message)"])
    }

    @Test func `the signatures of each help desk are known`() {
        #expect(HelpDeskKind.pyrus.signatureHeaders == [WebhookSignature.header.description.lowercased()])
        #expect(HelpDeskKind.sendbird.signatureHeaders == [SendbirdSender.chat, .desk].map(\.header.description))
    }

    /// Adding the first restriction or removing the last one needs a restart; a change within them does not.
    @Test func `are updated by a reload`() throws {
        func configuration(_ members: String) throws -> Configuration { try directory.configuration(members: "\"listen\":{\(members)}") }
        let header = #""shared_header":{"name":"X-S","secret":{"env":"SHARED"}}"#
        let none = try configuration("")
        let both = try configuration(#""allow":["10.0.0.0/8"],\#(header)"#)
        let changed = try configuration(
            #""allow":["10.0.0.0/9"],"trusted_proxies":["10.1.0.0/16"],"shared_header":{"name":"X-T","secret":[{"env":"NEXT"}]}"#)
        #expect(none.fixedKeys(differingFrom: both) == ["$.listen.allow", "$.listen.shared_header"])
        #expect(both.fixedKeys(differingFrom: changed) == [])
    }

    @Test func `cause a warning on a Unix socket`() throws {
        func warnings(_ listen: String) throws -> [String] {
            try directory.configuration(members: #""listen":{"allow":["10.0.0.0/8"],\#(listen)}"#).warnings(now: 0).map(\.path)
        }
        #expect(try warnings(#""unix":"public.sock""#) == ["$.listen.allow"])
        #expect(try warnings(#""unix":"public.sock","trusted_proxies":["10.0.0.0/8"]"#) == ["$.listen.allow"])
        #expect(try warnings(#""unix":"public.sock","trusted_proxies":["unix"]"#) == [])
        #expect(try warnings(#""port":0"#) == [])
    }

    /// Without a restriction, the client address from a proxy is not used. The connections from its network have no separate limit.
    @Test(arguments: [
        (#"["unix"]"#, ["$.listen.trusted_proxies"]), (#"["10.0.0.0/8"]"#, []), (#"["unix","10.0.0.0/8"]"#, []),
    ])
    func `cause a warning without a restriction`(_ proxies: String, _ expected: [String]) throws {
        func warnings(_ listen: String) throws -> [String] {
            try directory.configuration(members: #""listen":{"trusted_proxies":\#(proxies)\#(listen)}"#).warnings(now: 0).map(\.path)
        }
        #expect(try warnings("") == expected)
        #expect(try warnings(#","allow":["192.0.2.0/24"]"#) == [])
    }
}
