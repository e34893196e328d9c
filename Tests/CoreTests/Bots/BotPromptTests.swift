import Core
import JSON
import TestSupport
import Testing
import Time

/// The texts for the vendor, and the upper bound of their tokens.
@Suite struct BotPromptTests {
    private func prompt(_ bot: BotDefinition, user: String = "user-1", _ fields: [(name: String, text: String)] = []) throws -> BotPrompt {
        try BotPrompt(of: bot, userID: user, fields: fields)
    }

    @Test func `has the vendor's format`() throws {
        let bot = try BotSamples.bot(
            systemMessage: "You help {user_id} with \"orders\" of {city}. {{}}",
            firstMessage: BotDefinition.FirstMessage(message: "Hello!", options: ["My orders"]),
            functions: [BotSamples.function(properties: #""order_id":{"type":"string","description":"Order"}"#)])
        let prompt = try prompt(bot, [("city", "Paris"), ("unused", "x")])
        #expect(
            prompt.aiAttributes(ticket: "EXAMPLE")
                == #"{"ai_attrs":{"system_message":"You help user-1 with \"orders\" of Paris. {}","functions":[{"request":{"headers":"#
                + #"{"Authorization":"Bearer EXAMPLE"},"method":"POST","url":"https://chat.example.com/bots/orders/functions/cancel_order"},"#
                + #""name":"cancel_order","description":"Cancels an order","parameters":{"type":"object","properties":{"order_id":"#
                + #"{"type":"string","description":"Order"}},"required":["order_id"]}}]}}"#)
        #expect(prompt.firstMessageData == #"{"first_message_data":[{"data":{"options":["My orders"]},"message":"Hello!"}]}"#)
        #expect(prompt.tools.elements.first?["function"]?["name"] == "cancel_order")
        #expect(prompt.tools.elements.first?["function"]?["parameters"]?["required"] == ["order_id"])
    }

    @Test func `has no first message by default`() throws {
        #expect(try prompt(BotSamples.bot()).firstMessageData == nil)
    }

    @Test func `fields are required and short`() throws {
        let bot = try BotSamples.bot(systemMessage: "{name} {name} {user_id} {city}")
        #expect(bot.fields == ["name", "city"])
        #expect(throws: BotArgumentsProblem("fields.city is missing")) { try prompt(bot, [("name", "x")]) }
        let long = String(repeating: "\"", count: 129)
        #expect(throws: BotArgumentsProblem("fields.name is longer than 256 bytes")) { try prompt(bot, [("name", long), ("city", "")]) }
        // Replaced text is not parsed again.
        #expect(try prompt(bot, [("name", "{city}"), ("city", "x")]).systemMessage == "{city} {city} user-1 x")
    }

    @Test func `the bound is never below the text's tokens`() throws {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<300 {
            let functions = try (0..<Int.random(in: 0...5, using: &generator)).map { _ in try BotSamples.function() }
            let first = BotDefinition.FirstMessage(message: BotSamples.text(50, using: &generator), options: ["\"a\"", "б"])
            let bot = try BotSamples.bot(
                systemMessage: "\"\n{a}é{user_id}{a}{{{b}", firstMessage: first, functions: functions)
            let bound = BotTokenBound(of: bot)
            let user = Self.user(using: &generator)
            // Fields of the maximum length, and others.
            let fields = ["a", "b"].map { (name: $0, text: Self.field(using: &generator)) }
            let prompt = try prompt(bot, user: user, fields)
            let ticket = BotAccessToken(BotSamples.grant(user, app: "store", life: 3600), startID: generator.next())
            let text = prompt.aiAttributes(ticket: try ticket.text(for: bot))
            #expect(text.utf8.count <= bound.prompt, "\(text.utf8.count) of \(bound.prompt)")
            #expect(try #require(prompt.firstMessageData).utf8.count <= bound.firstMessage)
        }
    }

    @Test func `the bound is tight`() throws {
        let bot = try BotSamples.bot(systemMessage: "{user_id}{a}", functions: [BotSamples.function()])
        let user = String(repeating: "漢", count: 100)
        let prompt = try prompt(bot, user: user, [("a", String(repeating: "\"", count: 128))])
        let ticket = try BotAccessToken(BotSamples.grant(user), startID: 1).text(for: bot)
        // One comma fewer than functions.
        #expect(prompt.aiAttributes(ticket: ticket).utf8.count == BotTokenBound(of: bot).prompt - 1)
    }

    @Test func `reports the size of each part`() throws {
        let bound = BotTokenBound(
            of: try BotSamples.bot(systemMessage: String(repeating: "é", count: 400), functions: [BotSamples.function()]))
        #expect(bound.parts.map(\.name) == ["system_message", "cancel_order"])
        #expect(bound.parts[0].bytes == 800)
        #expect(bound.firstMessage == 0)
    }

    /// A user's id that the grammar allows: at most 100 UTF-16 code units, without control characters.
    private static func user(using generator: inout SeededGenerator) -> String {
        let characters: [Unicode.Scalar] = ["a", "\"", "\\", "é", "漢", "😀", "\u{2028}"]
        var text = ""
        while true {
            let next = text + String(generator.element(of: characters))
            if next.utf16.count > 100 || Int.random(in: 0..<200, using: &generator) == 0 { return text.isEmpty ? "a" : text }
            text = next
        }
    }

    private static func field(using generator: inout SeededGenerator) -> String {
        var text = ""
        while true {
            let next = text + BotSamples.text(3, using: &generator)
            if JSONValue.string(next).serialized().count - 2 > BotPrompt.longestField { return text }
            text = next
        }
    }
}
