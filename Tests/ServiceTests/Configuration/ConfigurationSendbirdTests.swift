import Core
import Crypto
import JSON
import Notifiers
import TestSupport
import Testing

@testable import Configuration

/// The object of an app of Sendbird Desk.
@Suite struct ConfigurationSendbirdTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        for (name, number) in [("CHAT", 31), ("DESK", 32), ("NEXT", 33)] { directory.environment[name] = TestSecret.text(number) }
    }

    private static let tokens = #""chat_token":{"env":"CHAT"},"desk_token":{"env":"DESK"}"#

    private func app(_ members: String, id: String = "APP-1", notifiers: String = "") -> String {
        #"{"apps":[{"app_id":"\#(id)","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],\#(members)}]\#(notifiers)}"#
    }

    private func sendbird(_ members: String = tokens, id: String = "APP-1") -> String {
        app(#""help_desk":"sendbird","sendbird":{\#(members)}"#, id: id)
    }

    @Test func `has defaults`() throws {
        let configuration = try directory.configuration(sendbird())
        let app = try #require(configuration.apps.first)
        let settings = try #require(app.sendbird)
        #expect(app.helpDesk == .sendbird)
        #expect(app.takesWebhooks)
        #expect(app.notifiers == ["log"])
        #expect(settings.chatTokens.count == 1)
        #expect(settings.deskTokens.count == 1)
        #expect(settings.chatURL == "https://api-APP-1.sendbird.com")
        #expect(settings.deskURL == "https://desk-api-APP-1.sendbird.com")
        #expect(settings.sessionTokens == nil)
        #expect(!settings.makesURLPreviews)
        #expect(!settings.servesTickets)
        #expect(!settings.relaysRegistrations)
        #expect(settings.botUserIDs == nil)
        #expect(settings.ticketFields == [])
        #expect(settings.customerFields == [])
        #expect(configuration.calledHosts.map(\.host) == ["api-app-1.sendbird.com", "desk-api-app-1.sendbird.com"])
    }

    @Test func `messages may be held if an app belongs to Sendbird`() throws {
        let configuration = try directory.configuration(sendbird())
        #expect(configuration.runningNotifiers == ["log", HeldMessage.notifier])
        #expect(configuration.runs(HeldMessage.notifier))
        #expect(!configuration.runs("gone"))
        #expect(try directory.configuration(app(#""notifiers":["log"]"#)).runningNotifiers == ["log"])
        let named = app(
            #""notifiers":["log"]"#, notifiers: #","notifiers":{"log":{"type":"log"},"\#(HeldMessage.notifier)":{"type":"log"}}"#)
        #expect(throws: ConfigurationError.self) { try directory.configuration(named) }
    }

    @Test func `can be set`() throws {
        let settings = try #require(
            try directory.configuration(
                app(
                    #""help_desk":"sendbird","sendbird":{"chat_token":[{"env":"NEXT"},{"env":"CHAT"}],"desk_token":{"env":"DESK"},"#
                        + #""chat_url":"http://127.0.0.1:7000/","desk_url":"https://desk.example.com","session_tokens":{},"#
                        + #""url_previews":true,"tickets":true,"relay":true},"notifiers":["log","relay"]"#,
                    notifiers: Self.relay)
            ).apps[0].sendbird)
        #expect(settings.chatTokens == [TestSecret.text(33), TestSecret.text(31)].map { SecretBytes(copying: $0.utf8.span) })
        #expect(settings.chatURL == "http://127.0.0.1:7000")
        #expect(settings.deskURL == "https://desk.example.com")
        #expect(
            settings.sessionTokens
                == Configuration.SessionTokens(
                    lifetimeSeconds: 604_800, limits: [LimitRule(per: .user, max: 10, windowMilliseconds: 60_000)]))
        #expect(settings.makesURLPreviews)
        #expect(settings.servesTickets)
        #expect(settings.relaysRegistrations)
    }

    @Test(arguments: [("[]", []), (#"["bot-1","бот"]"#, ["bot-1", "бот"])] as [(String, [String])])
    func `the bots of an app are listed by their user ids`(_ list: String, _ expected: [String]) throws {
        let configuration = try directory.configuration(sendbird(#"\#(Self.tokens),"bot_user_ids":\#(list)"#))
        #expect(configuration.apps.first?.sendbird?.botUserIDs == expected)
    }

    @Test func `a bot's user id is checked`() throws {
        let (longest, many) = (String(repeating: "x", count: 1000), String(repeating: #""b","#, count: 100))
        for (list, path) in [
            ("7", ""), (#"["bot",7]"#, "[1]"), (#"[""]"#, "[0]"), (#"["a\u0000"]"#, "[0]"), (#"["\#(longest)"]"#, "[0]"),
            (#"[\#(many)"b"]"#, ""),
        ] {
            let problems = try directory.problems(sendbird(#"\#(Self.tokens),"bot_user_ids":\#(list)"#))
            #expect(problems.map { String($0.prefix { $0 != ":" }) } == ["$.apps[0].sendbird.bot_user_ids\(path)"], "\(list.prefix(20))")
        }
    }

    @Test(arguments: [("[]", []), (#"["order","\u0433\u043e\u0440\u043e\u0434"]"#, ["order", "город"])] as [(String, [String])])
    func `the fields that customers may set are listed by their keys`(_ list: String, _ expected: [String]) throws {
        let json = sendbird(#"\#(Self.tokens),"tickets":true,"ticket_fields":\#(list),"customer_fields":\#(list)"#)
        let configuration = try directory.configuration(json)
        #expect(configuration.apps.first?.sendbird?.ticketFields == expected)
        #expect(configuration.apps.first?.sendbird?.customerFields == expected)
        #expect(!configuration.warnings(now: TestTime.now).contains { $0.path.contains("_fields") })
    }

    @Test(arguments: ["ticket_fields", "customer_fields"]) func `the key of a field is checked`(_ key: String) throws {
        let (longest, many) = (String(repeating: "x", count: 21), String(repeating: #""f","#, count: 20))
        for (list, path) in [
            ("7", ""), ("null", ""), (#"["order",7]"#, "[1]"), (#"[""]"#, "[0]"), (#"["a\u0000"]"#, "[0]"), (#"["a:b"]"#, "[0]"),
            (#"["a,b"]"#, "[0]"), (#"["\#(longest)"]"#, "[0]"), (#"[\#(many)"f"]"#, ""),
        ] {
            let problems = try directory.problems(sendbird(#"\#(Self.tokens),"tickets":true,"\#(key)":\#(list)"#))
            #expect(problems.map { String($0.prefix { $0 != ":" }) } == ["$.apps[0].sendbird.\(key)\(path)"], "\(list.prefix(20))")
        }
    }

    @Test(arguments: ["ticket_fields", "customer_fields"]) func `fields have no effect without tickets`(_ key: String) throws {
        let configuration = try directory.configuration(sendbird(#"\#(Self.tokens),"\#(key)":["order"]"#))
        let warning = try #require(configuration.warnings(now: TestTime.now).first { $0.path == "$.apps[0].sendbird.\(key)" })
        #expect(
            warning.message
                == #"has no effect, because the app serves its customers no tickets; set "tickets": true beside it, or remove it"#)
    }

    @Test func `reports every mistake at once`() throws {
        directory.environment["SHORT"] = "short"
        let problems = try directory.problems(
            sendbird(
                #""chat_token":[],"desk_token":{"env":"SHORT"},"chat_url":"http://example.com","desk_url":"ftp://x","#
                    + #""session_tokens":{"life_seconds":59,"x":1},"url_previews":1,"tickets":"yes","relay":null,"webhook":{}"#,
                id: "my app"))
        #expect(
            problems.map { String($0.prefix { $0 != ":" }) }.sorted() == [
                "$.apps[0].app_id", "$.apps[0].sendbird.chat_token", "$.apps[0].sendbird.chat_url", "$.apps[0].sendbird.desk_token",
                "$.apps[0].sendbird.desk_url", "$.apps[0].sendbird.relay", "$.apps[0].sendbird.session_tokens",
                "$.apps[0].sendbird.session_tokens.life_seconds",
                "$.apps[0].sendbird.session_tokens.x", "$.apps[0].sendbird.tickets", "$.apps[0].sendbird.url_previews",
                "$.apps[0].sendbird.webhook",
            ])
        #expect(!problems.contains { $0.contains("short") })
    }

    @Test func `the address of an API has no path`() throws {
        let members = #""help_desk":"sendbird","sendbird":{\#(Self.tokens),"chat_url":"https://api-APP-1.sendbird.com/v3"}"#
        let problem = "$.apps[0].sendbird.chat_url: the paths are added to it; give the host alone: https://api-APP-1.sendbird.com"
        #expect(try directory.problems(app(members)) == [problem])
    }

    private static let relay = #","notifiers":{"log":{"type":"log"},"relay":{"type":"sendbird","concurrency":3}}"#

    /// A relay has the address and the tokens of the apps that use it.
    @Test func `has a relay`() throws {
        let members = #""help_desk":"sendbird","sendbird":{\#(Self.tokens),"session_tokens":{"life_seconds":60}},"notifiers":["relay"]"#
        let configuration = try directory.configuration(app(members, notifiers: Self.relay))
        guard case .relay(let relay)? = configuration.notifiers.last?.kind else { return #expect(Bool(false), "it is a relay") }
        #expect(relay.helpDesk == .sendbird)
        #expect(relay.url == nil)
        #expect(relay.transport.concurrency == 3)
        #expect(
            relay.apps == [
                Configuration.RelayedApp(
                    id: "APP-1", url: "https://api-APP-1.sendbird.com", tokens: [SecretBytes(copying: TestSecret.text(31).utf8.span)],
                    relaysRegistrations: false)
            ])
        let audience = AppSubscriptions(configuration).registry
        #expect(audience.subscriptions(of: "APP-1").isEmpty, "registrations are not passed on")
        #expect(audience.listeners(of: "APP-1").map(\.notifier) == ["relay"])
    }

    @Test(arguments: [
        ("session_tokens", "{}", "which ends the tokens of users who are signed out or blocked"),
        ("relay", "true", "which passes registrations on"),
    ])
    func `needs a relay`(_ key: String, value: String, what: String) throws {
        #expect(
            try directory.problems(sendbird(#"\#(Self.tokens),"\#(key)":\#(value)"#)) == [
                #"$.apps[0].sendbird.\#(key): the app has no notifier of type "sendbird", \#(what); add "sendbird": {"type": "sendbird"} "#
                    + #"to $.notifiers, and its name to the app's "notifiers""#
            ])
    }

    @Test func `limits people and apps`() throws {
        let limits = #"[{"per":"device","max":1,"window_seconds":60}]"#
        let members = #""help_desk":"sendbird","sendbird":{\#(Self.tokens),"session_tokens":{"limits":\#(limits)}},"notifiers":["relay"]"#
        #expect(
            try directory.problems(app(members, notifiers: Self.relay)) == [
                #"$.apps[0].sendbird.session_tokens.limits[0].per: expected "user" or "app" here"#
            ])
    }

    @Test func `is for apps of Sendbird only`() throws {
        let place = "$.apps[0].sendbird"
        #expect(
            try directory.problems(app(#""sendbird":{\#(Self.tokens)}"#)) == [
                #"\#(place): only apps with "help_desk": "sendbird" have this, and the app belongs to "pyrus"; "#
                    + #"correct "help_desk", or remove this"#
            ])
        #expect(
            try directory.problems(app(#""help_desk":"sendbird""#)) == [
                #"\#(place): missing; give {"chat_token": …, "desk_token": …} with the API tokens that Sendbird's dashboard shows"#
            ])
        let webhook = #""help_desk":"sendbird","sendbird":{\#(Self.tokens)},"webhook":{"secret":{"env":"NEXT"}}"#
        #expect(
            try directory.problems(app(webhook)) == [
                #"$.apps[0].webhook: only apps with "help_desk": "pyrus" have this, and the app belongs to "sendbird"; "#
                    + #"correct "help_desk", or remove this"#
            ])
    }

    @Test func `an app of Sendbird cannot have the anonymous mode`() throws {
        let anonymous = #""help_desk":"sendbird","sendbird":{\#(Self.tokens)},"anonymous":"accept""#
        #expect(
            try directory.problems(app(anonymous)) == [
                #"$.apps[0].anonymous: only apps with "help_desk": "pyrus" have this, and the app belongs to "sendbird"; "#
                    + #"correct "help_desk", or remove this"#
            ])
    }

    @Test func `another help desk cannot use the relay`() throws {
        let members = #""help_desk":"sendbird","sendbird":{\#(Self.tokens)},"notifiers":["pyrus"]"#
        #expect(
            try directory.problems(app(members, notifiers: #","notifiers":{"pyrus":{"type":"pyrus"}}"#)) == [
                #"$.apps[0].notifiers[0]: passes registrations on to "pyrus", and the app belongs to "sendbird"; remove it here"#
            ])
    }

    @Test func `must have its own tokens`() throws {
        let shared = #""chat_token":{"env":"CHAT"},"desk_token":{"env":"CHAT"}"#
        #expect(
            try directory.problems(sendbird(shared)) == [
                "$.apps[0].sendbird.desk_token: the same secret as $.apps[0].sendbird.chat_token; use each secret in one place only"
            ])
        let many = (0..<5).map { number in
            directory.environment["T\(number)"] = TestSecret.text(40 + number)
            return #"{"env":"T\#(number)"}"#
        }
        #expect(
            try directory.problems(sendbird(#""chat_token":[\#(many.joined(separator: ","))],"desk_token":{"env":"DESK"}"#)) == [
                "$.apps[0].sendbird.chat_token: expected at most 4 tokens, found 5"
            ])
    }

    @Test func `is shown without secrets`() throws {
        let json = sendbird(#""chat_token":"\#(TestSecret.text(31))","desk_token":"\#(TestSecret.text(32))""#)
        let configuration = try directory.configuration(#"{"allow_insecure_secrets":true,"# + json.dropFirst())
        let shown = String(decoding: configuration.shown.value.serialized(), as: UTF8.self)
        #expect(shown.contains(#""chat_token":"•••""#))
        #expect(shown.contains(#""desk_token":"•••""#))
    }
}
