import POSIX
import TestSupport
import Testing

@testable import DeskgateCLI

/// The table of commands: its completeness for help, the manual page and completions, and its agreement with the parser.
@Suite struct CommandTableTests {
    private static let commands = CommandTable.commands
    private static let names = commands.map(\.name)
    private static let overview = Result { try help([]) }

    @Test func `names are distinct and do not hide others`() throws {
        for name in Self.names {
            #expect(Self.names.filter { "\($0) ".hasPrefix("\(name) ") } == [name])
            let found = try #require(CommandTable.find(name.split(separator: " ").map(String.init) + ["rest"]))
            #expect(found.command.name == name)
            #expect(found.rest == ["rest"])
        }
    }

    @Test(arguments: names)
    func `everything is described`(_ name: String) throws {
        let command = try find(name)
        for sentence in [command.summary, command.details].compactMap(\.self) {
            #expect(sentence.hasSuffix("."))
            #expect(sentence.first?.isUppercase == true)
            #expect(!sentence.contains("\n"))
        }
        #expect(Set(command.exits.map(\.key)).count == command.exits.count)
        #expect(command.exits.allSatisfy { !$0.value.isEmpty && !$0.value.hasSuffix(".") })
        if let operand = command.operand {
            check(operand.value, text: operand.text, fallback: operand.fallback, isRequired: operand.isRequired)
        }
        let options = command.options + [.help]
        #expect(Set(options.map(\.name)).count == options.count)
        for option in options {
            #expect(option.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil)
            check(option.value, text: option.text, fallback: option.fallback, isRequired: option.isRequired)
            // A switch has no value.
            if option.value == nil { #expect(!option.isRequired && !option.isRepeatable && option.fallback == nil) }
        }
    }

    @Test(arguments: names)
    func `help contains the whole table`(_ name: String) throws {
        let command = try find(name)
        let help = try unwrapped(Self.help(command.words))
        let overview = try unwrapped(Self.overview.get())
        #expect(help.contains(command.summary))
        #expect(help.contains(command.details ?? ""))
        for (code, condition) in command.exits { #expect(help.contains("\(code.rawValue) \(condition)")) }
        #expect(overview.contains(" \(name) \(command.summary)"))
        if let operand = command.operand { #expect(help.contains(" \(operand.value.placeholder) \(operand.text)")) }
        for example in command.examples { #expect(help.contains(unwrapped("\(example.line) \(example.text)"))) }
        for option in command.options + [.help] {
            #expect(help.contains(" \(option.spelling) \(option.text)"))
            if let fallback = option.fallback { #expect(help.contains("; default: \(fallback)")) }
        }
    }

    /// Except for example lines, which people copy.
    @Test(arguments: names + [""])
    func `help fits a terminal`(_ name: String) throws {
        let lines = try Self.help(name.split(separator: " ").map(String.init)).split(separator: "\n")
        for line in lines where !line.hasPrefix("  deskgate ") && !line.contains(" | deskgate ") {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test(arguments: names)
    func `the parser accepts declared values`(_ name: String) throws {
        let command = try find(name)
        let operand = command.operand.map(\.value.sample)
        let given = command.options.map { (option: $0, text: $0.value?.sample) }
        let apart = given.flatMap { option, text in ["--\(option.name)"] + (text.map { [$0] } ?? []) }
        let joined = given.map { option, text in "--\(option.name)" + (text.map { "=\($0)" } ?? "") }
        for words in [apart, joined] {
            let arguments = try Arguments((operand.map { [$0] } ?? []) + words, for: command)
            #expect(arguments.operand == operand)
            for (option, text) in given {
                #expect(arguments.has(option.name))
                #expect(arguments[option.name] == text)
            }
        }
    }

    @Test(arguments: names)
    func `the parser rejects other values`(_ name: String) throws {
        let command = try find(name)
        for option in command.options {
            for text in option.value?.wrongSamples ?? [] {
                var words = command.operand.map { [$0.value.sample] } ?? []
                for other in command.options where other.isRequired && other.name != option.name {
                    words += ["--\(other.name)", other.value?.sample ?? ""]
                }
                let error = #expect(throws: CommandError.self) { try Arguments(words + ["--\(option.name)=\(text)"], for: command) }
                #expect(error?.option == option.name)
            }
        }
    }

    /// Programs can add `--json` to any command with a result; a server, scripts and pages have none.
    @Test func `every command with a result has json`() {
        let without = Self.commands.filter { command in !command.options.contains { $0.name == "json" } }
        #expect(without.map(\.name) == ["serve", "completions", "manual"])
    }

    /// The command lines of the documentation, which people copy. In prose they may be incomplete.
    @Test func `every documented command exists`() throws {
        var count = 0
        let pages = try Command("sh", "-c", "cd \"$0\" && ls *.md docs/*.md docs/ru/*.md clients/*.md deploy/*/*.md", packageRoot).output
        for page in pages.split(separator: "\n") {
            let text = String(decoding: try File.read("\(packageRoot)/\(page)", limit: 1 << 20).bytes, as: UTF8.self)
            for (line, isProse) in DocumentedCommand.lines(of: text) {
                count += 1
                // The shell inserts a process ID there.
                let words = line.map { $0 == "$SERVICE" ? "4711" : $0 }
                let found = try #require(CommandTable.find(words), "\(page): \(line)")
                do throws(CommandError) {
                    _ = try Arguments(found.rest, for: found.command)
                } catch {
                    let isIncomplete = error.message.hasSuffix(" is missing") || error.message.contains(": needs a value: ")
                    #expect(isProse, "\(page): \(line): \(error.message)")
                    #expect(isIncomplete, "\(page): \(line): \(error.message)")
                }
            }
        }
        #expect(count > 150)
    }

    /// The examples in the help and the manual page are copied, too.
    @Test(arguments: names)
    func `every example is accepted`(_ name: String) throws {
        let examples = try find(name).examples
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(example.text.hasSuffix("."))
            #expect(example.text.first?.isUppercase == true)
            #expect(example.line.count <= 112)
            #expect(example.text.count <= 100)
            let lines = DocumentedCommand.lines(of: "```\n\(example.line)\n```")
            for (words, _) in lines {
                let found = try #require(CommandTable.find(words), "\(example.line)")
                _ = try Arguments(found.rest, for: found.command)
            }
            #expect(lines.contains { CommandTable.find($0.words)?.command.name == name })
        }
    }

    /// The output of `deskgate help`; `CommandLineTests` compares it with the program's.
    private static func help(_ words: [String]) throws -> String {
        guard case .show(let text) = ParsedCommandLine(["help"] + words) else { throw ChildProcess.Failure.missingOutput }
        return text
    }

    private func find(_ name: String) throws -> DeskgateCLI.Command {
        try #require(Self.commands.first { $0.name == name })
    }

    private func check(_ value: Value?, text: String, fallback: String?, isRequired: Bool) {
        #expect(!text.isEmpty)
        #expect(!text.hasSuffix("."))
        #expect(fallback?.isEmpty != true)
        #expect(!isRequired || fallback == nil)
        guard let value else { return }
        #expect(value.placeholder.wholeMatch(of: /[A-Z]+/) != nil)
        if case .choice(let words, _) = value {
            #expect(words.count > 1)
            #expect(Set(words).count == words.count)
            for word in words { #expect(text.contains(word)) }
        }
    }

    /// A text whose wrapped lines are joined with one space.
    private func unwrapped(_ text: String) -> String {
        text.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    }
}

extension Value {
    /// An example of such a value.
    fileprivate var sample: String {
        switch self {
        case .app, .notifier, .text, .secret, .file, .directory: "sample"
        case .number(let range, _): "\(range.upperBound)"
        case .lifetime: "12h"
        case .time: "2026-03-10T08:15:12Z"
        case .choice(let words, _): words[0]
        }
    }

    /// Texts that the parser must reject.
    fileprivate var wrongSamples: [String] {
        switch self {
        case .app, .notifier, .text, .secret, .file, .directory, .time: []
        case .number(let range, _): ["", "x", "-1", "\(range.upperBound)0"] + (range.lowerBound > 0 ? ["\(range.lowerBound - 1)"] : [])
        case .lifetime: ["", "soon", "-1", "1.5h"]
        case .choice(let words, _): ["", words[0].uppercased(), words.joined(separator: ",")]
        }
    }
}

/// The command lines on a page of the documentation.
private enum DocumentedCommand {
    /// The words after `deskgate` of each, and whether it is in a sentence instead of a block of code.
    static func lines(of page: String) -> [(words: [String], isProse: Bool)] {
        var result: [([String], Bool)] = []
        var isBlock = false
        for line in page.split(separator: "\n") {
            if line.hasPrefix("```") {
                isBlock.toggle()
                continue
            }
            let marks = isBlock ? "deskgate " : "`deskgate "
            for start in line.ranges(of: marks) {
                let isWord = start.lowerBound == line.startIndex || !"/-.=".contains(line[line.index(before: start.lowerBound)])
                guard isWord else { continue }
                let words = words(of: line[start.upperBound...])
                if words.first?.allSatisfy({ $0.isLowercase }) == true { result.append((words, !isBlock)) }
            }
        }
        return result
    }

    /// Splits like a shell, up to the end of the command.
    private static func words(of text: Substring) -> [String] {
        var (words, word, quote) = ([String](), String?.none, Character?.none)
        for character in text {
            if character == quote {
                quote = nil
            } else if quote != nil {
                word?.append(character)
            } else if character == "'" || character == "\"" {
                (quote, word) = (character, word ?? "")
            } else if "`|&;)#…<>".contains(character) {
                // The number of a redirected descriptor.
                if character == ">", word?.allSatisfy(\.isNumber) == true { word = nil }
                break
            } else if character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return words
    }
}
