import Core
import Testing

@Suite struct PushTemplateTests {
    private static let all = Set(PushTemplate.Placeholder.allCases)

    private func flaw(_ text: String, allowing allowed: Set<PushTemplate.Placeholder> = all) -> PushTemplate.Problem? {
        do throws(PushTemplate.Problem) {
            _ = try PushTemplate(text, allowing: allowed)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("{author}: {text}", "[author]: [text]"), ("{count} файлов ({files})", "[count] файлов ([files])"), ("{{{count}}}", "{[count]}"),
        ("no placeholders", "no placeholders"), ("{{author}}", "{author}"), ("{text}{text}", "[text][text]"),
    ])
    func `placeholders are replaced`(text: String, filled: String) throws {
        let template = try PushTemplate(text, allowing: Self.all)
        #expect(template.filled { "[\($0.rawValue)]" } == filled)
    }

    @Test func `replaced text is not parsed again`() throws {
        let template = try PushTemplate("{author}: {text}", allowing: Self.all)
        #expect(template.filled { $0 == .author ? "{text}" : "}}{count}{{" } == "{text}: }}{count}{{")
    }

    @Test(
        arguments: [
            ("", .empty), (" \u{200B} ", .empty), ("{", .unpairedBrace), ("a}", .unpairedBrace), ("{author", .unpairedBrace),
            ("{{author}", .unpairedBrace), ("{name}", .unknown("name")), ("{}", .unknown("")), ("{Author}", .unknown("Author")),
            ("{ author }", .unknown(" author ")), ("{author{text}}", .unknown("author{text")), ("a\nb", .controlCharacter),
            ("a\u{0}", .controlCharacter),
        ] as [(String, PushTemplate.Problem)])
    func refuses(text: String, flaw: PushTemplate.Problem) {
        #expect(self.flaw(text) == flaw)
    }

    @Test func `misplaced placeholders are rejected`() {
        #expect(flaw("{author}{files}", allowing: [.author]) == .misplaced(.files))
        #expect(flaw("{author}", allowing: [.author]) == nil)
    }

    @Test func `a template has a maximum length`() {
        #expect(flaw(String(repeating: "ж", count: 100)) == nil)
        #expect(flaw(String(repeating: "ж", count: 100) + "a") == .tooLong)
    }

    @Test func `reports the remedy`() {
        let flaw = PushTemplate.Problem.unknown("name")
        #expect(flaw.description == "has the unknown placeholder {name}; known are {author}, {text}, {count}, {files}")
    }
}
