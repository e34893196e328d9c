import TestSupport
import Testing

@testable import DeskgateCLI

/// `deskgate manual`, read by two formatters of manual pages.
@Suite struct ManualTests {
    @Test func `formatters report no problems`() throws {
        let scratch = try TemporaryDirectory()
        for checker in [["mandoc", "-Tlint", "-Wall"], ["groff", "-man", "-Tascii", "-ww", "-z"]] {
            let result = try run(checker, in: scratch)
            #expect(result.code == 0)
            #expect(result.complaints.isEmpty, "\(checker[0])")
            #expect(checker[0] == "groff" || result.text.isEmpty, "\(result.text)")
        }
    }

    @Test func `contains the whole table`() throws {
        let text = words(try run(["mandoc", "-Tascii"], in: TemporaryDirectory()).text)
        for command in CommandTable.commands {
            #expect(text.contains(" \(command.name) \(words(Help.description(of: command)))"))
            for option in command.options { #expect(text.contains(words("\(option.spelling) \(option.text)"))) }
            for example in command.examples { #expect(text.contains(words("\(example.text) \(example.line)"))) }
        }
    }

    @Test(arguments: [("1700000000", "2023-11-14"), ("18446744073709551615", "9999-12-31")])
    func `has a reproducible date`(_ epoch: String, _ date: String) throws {
        let result = try Deskgate.run("manual", environment: ["SOURCE_DATE_EPOCH": epoch])
        #expect(result.output.contains("\n.TH DESKGATE 1 \"\(date)\" "))
    }

    private func run(_ words: [String], in scratch: TemporaryDirectory) throws -> (code: Int32, text: String, complaints: String) {
        try scratch.write("deskgate.1", try Deskgate.run("manual").output)
        let process = try ChildProcess(words[0], (words.dropFirst() + [scratch.path("deskgate.1")]).map { Array($0.utf8) })
        let code = try process.exitCode()
        return try withExtendedLifetime(scratch) { (code, try process.output.text(), try process.errors.text()) }
    }

    /// A text without line breaks, overstrikes and replacements for a terminal without Unicode.
    private func words(_ text: String) -> String {
        var plain: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars { scalar == "\u{8}" ? _ = plain.popLast() : plain.append(scalar) }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: plain)
        return String(view).replacing("…", with: "...").split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }
}
