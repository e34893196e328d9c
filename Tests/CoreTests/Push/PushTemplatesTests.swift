import Core
import Testing

@Suite struct PushTemplatesTests {
    private func mistakes(_ language: String, _ texts: [PushTemplatePart: String]) -> [String] {
        do throws(PushTemplates.Problems) {
            _ = try PushTemplates(language: language, texts: texts)
            return []
        } catch {
            return error.all.map { "\($0.part?.rawValue ?? "language") \($0.description)" }
        }
    }

    @Test func `English and Russian are built in`() throws {
        #expect(try PushTemplates(language: "en") == .english)
        #expect(try PushTemplates(language: "ru") == .russian)
        #expect(PushTemplates.english != .russian)
        #expect(mistakes("ru-RU", [:]) == [])
        #expect(mistakes("en-GB", [.neutralTitle: "Help desk"]) == [])
    }

    @Test func `other languages need texts`() {
        #expect(mistakes("de", [.filesOther: "{count} Dateien: {files}", .neutralTitle: "Support", .neutralBody: "Neue Nachricht"]) == [])
        #expect(
            mistakes("de", [.neutralTitle: "Support"]) == [
                "files_other is missing; give a text, as this language has none built in",
                "neutral_body is missing; give a text, as this language has none built in",
            ])
    }

    @Test func `reports all mistakes at once`() {
        let texts: [PushTemplatePart: String] = [
            .title: "{text}", .text: "{body}", .filesOne: "{", .neutralTitle: "{author}", .neutralBody: "",
        ]
        #expect(
            mistakes("r u", texts).map { $0.prefix { $0 != ";" } } == [
                "language is not a language such as \"en\" or \"pt-BR\"",
                "title has the placeholder {text}, which cannot be filled in here",
                "text has the unknown placeholder {body}", "files_one has a brace without its partner",
                "neutral_title has the placeholder {author}, which cannot be filled in here",
                "neutral_body has no visible character",
            ])
    }

    @Test func `a language with an underscore is the only mistake`() {
        #expect(mistakes("ru_RU", [:]) == [#"language is not a language such as "en" or "pt-BR"; write - for _"#])
    }

    @Test(arguments: ["", "-", "en-", "e_n", "русский", "englishlanguage"])
    func `an invalid language is rejected`(language: String) {
        #expect(mistakes(language, [:]).first?.hasPrefix("language is not a language") == true)
    }
}
