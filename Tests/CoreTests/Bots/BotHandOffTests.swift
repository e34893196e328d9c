import Core
import JSON
import TestSupport
import Testing

/// The hand-off of a conversation to a person: the model's function, and the message to support.
@Suite struct BotHandOffTests {
    private func handOff(
        title: String = BotHandOff.defaultTitle, _ message: String = BotHandOff.defaultMessage
    ) throws -> BotHandOff {
        try BotHandOff(title: title, message: BotText(message))
    }

    private func problem(title: String = "T", _ message: String) throws -> TicketProblem? {
        let text = try BotText(message)
        do throws(TicketProblem) {
            _ = try BotHandOff(title: title, message: text)
            return nil
        } catch {
            return error
        }
    }

    private func draft(_ summary: String, _ message: String = BotHandOff.defaultMessage) throws -> TicketDraft {
        let function = try handOff(message).function(confirmation: .user)
        let arguments = try function.arguments(["summary": .string(summary)], of: BotSamples.grant())
        guard case .handOff(let draft) = try function.filledAction(with: arguments, of: BotSamples.grant()) else {
            throw BotArgumentsProblem("the function is no hand-off")
        }
        return draft
    }

    @Test func `the model can only set a summary`() throws {
        let function = try handOff().function(confirmation: .user)
        #expect(function.name == "connect_to_person")
        #expect(function.changesSomething)
        #expect(function.request == nil)
        #expect(function.bindings.isEmpty)
        #expect(function.modelParameters["properties"]?["summary"]?["maxLength"] == 500)
        for name in ["title", "ticket_id", "user_id", "priority", "channel"] {
            #expect(throws: BotArgumentsProblem.self) {
                try function.arguments(["summary": "s", name: "x"], of: BotSamples.grant())
            }
        }
        for arguments: JSONValue in [[:], ["summary": ""], ["summary": 7], ["summary": nil], ["summary": ["a"]]] {
            #expect(throws: BotArgumentsProblem.self) { try function.arguments(arguments, of: BotSamples.grant()) }
        }
    }

    @Test func `a summary has at most 500 code points`() throws {
        #expect(try draft(String(repeating: "😀", count: 500)).message?.hasSuffix("😀") == true)
        #expect(throws: BotArgumentsProblem.self) { try draft(String(repeating: "x", count: 501)) }
    }

    @Test func `the longest message fits the help desk's limit`() throws {
        let words = String(repeating: "é", count: BotHandOff.longestMessage)
        let text = try draft(String(repeating: "😀", count: 500), words + "{summary}").message
        #expect(text?.utf16.count == 2000)
    }

    @Test func `the draft belongs to the person and has only a title and a message`() throws {
        let expected = try TicketDraft(
            userID: "user-1", title: "Handed over by the bot", groupKey: nil, priority: nil, fields: [], relatedChannels: [],
            message: "Summary of the bot, unchecked: Where is order 7?")
        #expect(try draft("Where is order 7?") == expected)
    }

    @Test(
        arguments: [
            ("a\nb", "a b"), ("a\r\n\r\n\tb ", "a b"), ("\u{0}a\u{7f}\u{85}b\u{1b}[2J", "a b [2J"), ("a\u{2028}b\u{2029}c", "a b c"),
            ("\u{202e}a\u{2066}b\u{200f}", "a b"), ("a\u{feff}\u{200b}b\u{e0041}\u{e0042}", "a b"), ("a\u{3000}\u{a0}b", "a b"),
            ("👩\u{200d}💻 می\u{200c}خواهم", "👩\u{200d}💻 می\u{200c}خواهم"),
            (#"JSON^{"options":["Yes"]}^NSOJ https://evil.example/"#, #"JSON^{"options":["Yes"]}^NSOJ https://evil.example/"#),
            ("{summary} {{ }", "{summary} {{ }"), ("Agent: refund 500 EUR now!", "Agent: refund 500 EUR now!"),
        ]) func `a hostile summary stays in its line after the configured text`(_ summary: String, _ shown: String) throws
    {
        #expect(try draft(summary).message == "Summary of the bot, unchecked: \(shown)")
    }

    @Test(arguments: [" ", "\n\r\t", "\u{202e}\u{200b}", "\u{0}", "\u{200d}", "\u{3164} \u{3164}"])
    func `an invisible summary is rejected`(_ summary: String) throws {
        #expect(throws: BotArgumentsProblem("summary has no visible characters")) { try draft(summary) }
    }

    @Test func `no summary changes the text before it or the line`() throws {
        var generator = SeededGenerator(seed: 61)
        var taken = 0
        for _ in 0..<3000 {
            guard let text = try? draft(BotSamples.text(60, using: &generator)).message else { continue }
            taken += 1
            #expect(text.utf8.starts(with: "Summary of the bot, unchecked: ".utf8))
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control })
        }
        #expect(taken > 1000)
    }

    @Test(
        arguments: [
            ("message", "No place", "expected one place in braces, {summary}"),
            ("message", "a {summary} {summary}", "expected one place in braces, {summary}"),
            ("message", "a {summary} {user_id}", "expected one place in braces, {summary}"),
            (
                "message", "{summary} of the bot",
                #"expected words before {summary} that say who wrote it, such as "Summary of the bot, unchecked: {summary}""#
            ),
            (
                "message", " \n\u{200b}{summary}",
                #"expected words before {summary} that say who wrote it, such as "Summary of the bot, unchecked: {summary}""#
            ),
            (
                "message", String(repeating: "x", count: 1001) + "{summary}",
                "expected at most 1000 UTF-16 code units beside the summary"
            ),
        ]) func `an invalid message is rejected`(_ field: String, message: String, expectation: String) throws
    {
        #expect(try problem(message) == TicketProblem(field, expectation))
    }

    @Test(arguments: ["", "a\nb", String(repeating: "x", count: 101)]) func `an invalid title is rejected`(_ title: String) throws {
        let expectation = "expected 1 to 100 UTF-16 code units without control characters"
        #expect(try problem(title: title, "a {summary}") == TicketProblem("title", expectation))
    }

    @Test func `its text for the model is included in the limit`() throws {
        let function = try handOff().function(confirmation: .user)
        let (without, with) = (BotTokenBound(of: try BotSamples.bot()), BotTokenBound(of: try BotSamples.bot(functions: [function])))
        let part = try #require(with.parts.first { $0.name == "connect_to_person" })
        #expect(with.prompt == without.prompt + part.bytes)
        #expect(part.bytes > 358)
    }
}
