import Core
import JSON
import TestSupport
import Testing
import Time

@testable import Configuration

/// `bots[].connect_to_person`: the resulting function, and every possible mistake.
@Suite struct ConfigurationHandOffTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try BotDocument.directory()
        try directory.scratch.write("secrets/chat-token", TestSecret.text(60) + "\n")
        try directory.scratch.write("secrets/desk-token", TestSecret.text(61) + "\n")
    }

    /// A configuration with the apps `shop` of Sendbird Desk and `bank` of Pyrus, and one bot.
    private func json(_ members: [String: String]) -> String {
        """
        {"apps":[{"app_id":"shop","help_desk":"sendbird","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],
          "sendbird":{"chat_token":{"file":"secrets/chat-token"},"desk_token":{"file":"secrets/desk-token"}}},
          {"app_id":"bank","keys":[{"id":3,"secret":{"file":"secrets/app-3.key"}}]}],
         "log":{},"bots":[\(BotDocument.bot(members))]}
        """
    }

    private func bot(_ members: [String: String]) throws -> BotDefinition {
        try #require(try directory.configuration(json(members)).bots.first)
    }

    private func problems(_ handOff: String) throws -> [String] {
        try directory.problems(json(["connect_to_person": handOff]))
    }

    private func warnings(_ handOff: String) throws -> [String] {
        try directory.configuration(json(["connect_to_person": handOff])).warnings(now: TestTime.now).map { "\($0)" }.filter {
            $0.hasPrefix("$.bots")
        }
    }

    @Test func `a bot has no hand-off by default`() throws {
        #expect(try bot([:]).function(named: "connect_to_person") == nil)
    }

    @Test func `the customer confirms by default`() throws {
        let function = try #require(try bot(["connect_to_person": "{}"]).function(named: "connect_to_person"))
        #expect(function.confirmation == .user)
        #expect(try bot(["connect_to_person": #"{"confirm":"none"}"#]).functions.last?.confirmation == BotConfirmation.none)
    }

    @Test func `the texts can be set`() throws {
        let handOff = #"{"title":"Bot","message":"Bot {{1}}: {summary}!"}"#
        let function = try #require(try bot(["connect_to_person": handOff]).functions.last)
        let grant = BotGrant(appID: "shop", userID: "u", key: nil, issuedAt: 1, expiresAt: 61)
        guard
            case .handOff(let draft) = try function.filledAction(with: function.arguments(["summary": "s"], of: grant), of: grant)
        else { throw BotArgumentsProblem("the function is no hand-off") }
        #expect(draft.title == "Bot")
        #expect(draft.message == "Bot {1}: s!")
    }

    @Test(
        arguments: [
            ("true", ": expected an object, found true or false; write {} for its defaults"),
            (#"{"confirm":"model"}"#, #".confirm: expected one of "user", "none""#),
            (#"{"title":"a\nb"}"#, ".title: expected 1 to 100 UTF-16 code units without control characters"),
            (#"{"message":"No place"}"#, ".message: expected one place in braces, {summary}"),
            (#"{"message":"a {summary"}"#, ".message: a brace has no partner; write {{ or }} for a brace itself"),
            (
                #"{"message":"{summary}"}"#,
                #".message: expected words before {summary} that say who wrote it, such as "Summary of the bot, unchecked: {summary}""#
            ),
        ]) func `an invalid hand-off is rejected`(_ handOff: String, _ problem: String) throws
    {
        #expect(try problems(handOff) == ["$.bots[0].connect_to_person\(problem)"])
    }

    @Test func `an app without tickets is rejected`() throws {
        #expect(
            try directory.problems(json(["connect_to_person": "{}", "apps": #"["shop","bank"]"#])) == [
                "$.bots[0].connect_to_person: the bot serves bank, which is no app of Sendbird Desk and has no tickets; serve it with another "
                    + "bot, or remove this"
            ])
    }

    @Test func `a configured function with the same name is rejected`() throws {
        let functions = "[\(BotDocument.function(["name": #""connect_to_person""#]))]"
        #expect(try directory.problems(json(["functions": functions])) == [])
        #expect(
            try directory.problems(json(["functions": functions, "connect_to_person": "{}"])) == [
                #"$.bots[0].functions[0].name: "connect_to_person" of the bot makes the function of this name; give this one another name, "#
                    + #"or remove "connect_to_person""#
            ])
    }

    @Test func `it is one of the 64 functions`() throws {
        let functions = (1...64).map { BotDocument.function(["name": "\"f\($0)\""]) }
        let own = ["model": #""own""#, "connect_to_person": "{}"]
        let most = own.merging(["functions": "[\(functions.dropLast().joined(separator: ","))]"]) { $1 }
        #expect(try bot(most).functions.count == 64)
        let more = own.merging(["functions": "[\(functions.joined(separator: ","))]"]) { $1 }
        #expect(
            try directory.problems(json(more)) == [
                "$.bots[0].functions: expected at most 63 functions beside connect_to_person, found 64"
            ])
    }

    @Test func `a hand-off without a confirmation causes a warning`() throws {
        #expect(try warnings("{}") == [])
        #expect(
            try warnings(#"{"confirm":"none"}"#) == [
                "$.bots[0].connect_to_person.confirm: there is no confirmation, so a text that the model has read can make it call connect_to_person; "
                    + "set \"user\", unless a wrong call does no harm"
            ])
    }

    @Test func `a hand-off adds no host`() throws {
        let configuration = try directory.configuration(json(["connect_to_person": "{}"]))
        #expect(configuration.calledHosts.filter { $0.path.contains("bots") }.map(\.host) == ["shop.example.com"])
    }
}
