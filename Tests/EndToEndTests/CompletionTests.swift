import POSIX
import TestSupport
import Testing

@testable import DeskgateCLI

/// `deskgate completions`, loaded by the real shells.
@Suite struct CompletionTests {
    /// In each shell, for every command, option and value of the table.
    @Test(arguments: CompletingShell.allCases)
    func `completions cover every command and option`(_ shell: CompletingShell) throws {
        let expected = try Expectation.ofTheTable()
        let answers = try shell.complete(expected.map(\.line), in: site())
        for (line, words) in expected {
            #expect(answers[line] == Set(words), "\(shell.rawValue): \(line)")
        }
    }

    @Test(arguments: CompletingShell.allCases)
    func `names come from the given configuration`(_ shell: CompletingShell) throws {
        let directory = try site()
        try directory.write("broken.json", "{")
        let lines = [
            "deskgate key mint --config other.json --app ", "deskgate key mint --config=other.json --app ",
            "deskgate key mint --config missing.json --app ", "deskgate key mint --config broken.json --app ",
        ]
        let answers = try shell.complete(lines, in: directory)
        #expect(lines.map { answers[$0] } == [["other-app"], ["other-app"], [], []])
    }

    @Test func `names with characters special to a shell are omitted`() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            "config.json", #"{"apps": [{"app_id": "a b"}, {"app_id": "$(id)"}, {"app_id": "-x"}, {"app_id": "ok"}, 1], "notifiers": 1}"#)
        let file = directory.path("config.json")
        #expect(try Deskgate.run("completions", "apps", "--config", file).output == "ok\n")
        let notifiers = try Deskgate.run("completions", "notifiers", "--config", file)
        #expect(notifiers.code == 0)
        #expect(notifiers.output.isEmpty)
        #expect(notifiers.errors.isEmpty)
    }

    @Test func `an operand is completed`() throws {
        let result = try Deskgate.run("completions", "tcsh")
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: WHAT: expected bash, zsh, fish, apps or notifiers.\n"))
    }

    /// A directory with two configurations and a subdirectory.
    private func site() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write("config.json", #"{"apps": [{"app_id": "my-app"}, {"app_id": "app.2"}], "notifiers": {"push": {}, "log": {}}}"#)
        try File.createDirectory(directory.path("others"), mode: 0o700)
        try directory.write("other.json", #"{"apps": [{"app_id": "other-app"}]}"#)
        return directory
    }
}

/// Command lines up to the cursor, with the completions expected from the table.
private enum Expectation {
    static func ofTheTable() throws -> [(line: String, words: [String])] {
        let commands = CommandTable.commands
        var result: [(String, [String])] = [
            ("deskgate sec", ["secret"]), ("deskgate help stor", ["store"]), ("deskgate help key min", ["mint"]), ("deskgate zzz ", []),
            ("deskgate key ", ["mint", "verify", "inspect"]),
            ("deskgate bots ", ["calls", "demo"]), ("deskgate bots calls ", ["list", "show"]), ("deskgate help bots calls li", ["list"]),
            ("deskgate zzz --", []),
        ]
        let firstWords = CommandTable.words(after: []).map(\.word)
        for word in firstWords {
            let same = firstWords.filter { $0.hasPrefix(word) }
            result.append(("deskgate \(word)", same))
        }
        for command in commands {
            let line = "deskgate \(command.name)"
            if let last = command.words.dropFirst().last {
                let words = CommandTable.words(after: command.words.dropLast()).map(\.word)
                result.append((line, words.filter { $0.hasPrefix(last) }))
            }
            result.append(("\(line) --", (command.options + [.help]).map { "--\($0.name)" }))
            for option in command.options {
                guard let value = option.value else { continue }
                result.append(("\(line) --\(option.name) \(value.typed)", value.offered))
            }
            if let value = command.operand?.value, !value.offered.isEmpty { result.append(("\(line) \(value.typed)", value.offered)) }
        }
        return result
    }
}

extension Value {
    /// The typed part of such a value before the Tab key.
    fileprivate var typed: String {
        switch self {
        case .file, .directory: "oth"
        default: ""
        }
    }

    /// The completions in the test's directory with the configuration `config.json`.
    fileprivate var offered: [String] {
        switch self {
        case .app: ["my-app", "app.2"]
        case .notifier: ["push", "log"]
        case .file: ["other.json", "others"]
        case .directory: ["others"]
        case .choice(let words, _): words
        case .text, .secret, .number, .lifetime, .time: []
        }
    }
}
