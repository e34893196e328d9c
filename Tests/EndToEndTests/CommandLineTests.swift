import JSON
import TestSupport
import Testing

@testable import DeskgateCLI

@Suite struct CommandLineTests {
    private static let commands = CommandTable.commands.map(\.words)
    /// One command for each number of words. The program treats all commands like these, with the output of `said`.
    private static let some = (1...CommandTable.maximumWords).compactMap { count in commands.first { $0.count == count } }

    /// The program's output for words that run nothing; one process serves many words, because a program takes long to start.
    private func said(_ words: [String]) throws -> (code: Int32, output: String, errors: String) {
        switch ParsedCommandLine(words) {
        case .show(let help): return (0, "\(help)\n", "")
        case .refuse(let text, let error): return (error.code.rawValue, "", "\(text)\n")
        case .run: throw ChildProcess.Failure.missingOutput
        }
    }

    @Test(arguments: commands)
    func `help is written to the standard output`(_ command: [String]) throws {
        let help = try Deskgate.run(command + ["--help"])
        #expect(help.code == 0)
        #expect(help.output.hasPrefix("usage: deskgate \(command.joined(separator: " "))"))
        #expect(help.output.contains("\n  --help "))
        #expect(help.errors.isEmpty)
        #expect(try said(command + ["--help"]) == (0, help.output, ""))
    }

    @Test(arguments: commands)
    func `help needs no required option`(_ command: [String]) throws {
        let help = try said(command + ["--help"])
        for words in Self.helps(for: command) { #expect(try said(words) == help) }
    }

    @Test(arguments: some)
    func `the program prints the same help`(_ command: [String]) throws {
        let help = try Deskgate.run(command + ["--help"])
        for words in Self.helps(for: command) {
            let other = try Deskgate.run(words)
            #expect(other.code == 0)
            #expect(other.output == help.output)
        }
    }

    private static func helps(for command: [String]) -> [[String]] {
        [["--help"] + command, ["help"] + command, ["-h"] + command, command + ["-h"], command + ["--help", "-h"]]
    }

    @Test(arguments: [["--help"], ["help"], ["-h"]])
    func `the overview lists every command`(_ words: [String]) throws {
        let overview = try Deskgate.run(words)
        #expect(overview.code == 0)
        #expect(overview.errors.isEmpty)
        for command in Self.commands {
            #expect(overview.output.contains("\n  \(command.joined(separator: " ")) "))
        }
    }

    @Test(arguments: [["key", "--help"], ["help", "key"], ["key", "-h"], ["-h", "key"]])
    func `the overview of a family lists only its commands`(_ words: [String]) throws {
        let overview = try Deskgate.run(words)
        #expect(overview.code == 0)
        #expect(overview.output.contains("\n  key mint "))
        #expect(!overview.output.contains("\n  serve "))
    }

    @Test func `a reason in place of a state has the right option in the error`() throws {
        let result = try Deskgate.run(["deliveries", "list", "--state", "logged"])
        #expect(result.errors.contains("--reason logged\n"), "\(result.errors)")
    }

    @Test func `a missing command is reported`() throws {
        let result = try Deskgate.run()
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors == "deskgate: a command is missing; deskgate --help lists the commands\n")
    }

    @Test(arguments: [
        (["serv"], "unknown command: serv; did you mean serve? deskgate --help"),
        (["key"], "unfinished command: key; key continues with mint, verify or inspect; deskgate key --help"),
        (["bots", "calls"], "unfinished command: bots calls; bots calls continues with list or show; deskgate bots --help"),
        (["key", "rotate"], "unknown command: key rotate; key continues with mint, verify or inspect; deskgate key --help"),
        (["key", "revoke"], "unknown command: key revoke; did you mean revoke? deskgate --help"),
        (["keys", "revoke"], "unknown command: keys revoke; did you mean revoke? deskgate --help"),
        (["users", "revoke"], "unknown command: users revoke; did you mean revoke? deskgate --help"),
        (["token", "remove"], "unknown command: token remove; did you mean tokens remove? deskgate --help"),
        (["secret", "show"], "unknown command: secret show; secret continues with new or rotate; deskgate secret --help"),
        (
            ["config", "set", "log"],
            "unknown command: config set; config continues with show or schema; to change a key, edit the file and run deskgate "
                + "reload; deskgate config --help"
        ),
        (["Serve"], "unknown command: Serve; did you mean serve? deskgate --help"),
        (["key", "mnt"], "unknown command: key mnt; did you mean key mint? deskgate --help"),
        (["mint"], "unknown command: mint; did you mean key mint? deskgate --help"),
        (["bots", "calls", "lst"], "unknown command: bots calls lst; did you mean bots calls list? deskgate --help"),
        (["bots", "cals", "show", "x"], "unknown command: bots cals; did you mean bots calls show? deskgate --help"),
        (["chek", "--config", "c"], "unknown command: chek; did you mean check? deskgate --help"),
        (
            ["list"],
            "unknown command: list; did you mean deliveries list or tokens list or revocations list or tickets list or bots calls list? "
                + "deskgate --help"
        ),
        (["start"], "unknown command: start; deskgate serve serves, systemctl start deskgate starts the service; deskgate --help"),
        (["stop"], "unknown command: stop; systemctl stop deskgate stops the service; deskgate --help"),
        (["restart"], "unknown command: restart; systemctl restart deskgate restarts the service; deskgate --help"),
        (["logs", "--follow"], "unknown command: logs; journalctl -u deskgate shows the log; deskgate --help"),
        (["frobnicate"], "unknown command: frobnicate; deskgate --help"), ([""], "unknown command; deskgate --help"),
        (["--config", "c", "check"], "the command comes first, before its options: --config; deskgate --help"),
    ])
    func `an unknown command gets one line`(_ words: [String], _ complaint: String) throws {
        let result = try Deskgate.run(words)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors == "deskgate: \(complaint) lists the commands\n")
    }

    @Test(arguments: commands)
    func `an unknown option is reported`(_ command: [String]) throws {
        for (option, complaint) in [
            ("--colour", "--colour"), ("-x", "-x"), ("--colour=red", "--colour"),
        ] {
            let answer = try said(command + [option])
            #expect(answer.code == 2)
            #expect(answer.output.isEmpty)
            #expect(answer.errors.hasPrefix("deskgate: unknown option: \(complaint)"))
            #expect(answer.errors.contains("\nusage: deskgate "))
            if Self.some.contains(command) {
                let result = try Deskgate.run(command + [option])
                #expect((result.code, result.output, result.errors) == answer)
            }
        }
    }

    @Test(arguments: [
        (["version", "--jsn"], "--jsn; did you mean --json?"), (["version", "--JSON"], "--JSON; did you mean --json?"),
        (["check", "-config", "c"], "-config; did you mean --config?"), (["key", "mint", "--tll=1"], "--tll; did you mean --ttl?"),
        (["deliveries", "list", "--tickets", "1"], "--tickets; did you mean --ticket?"),
    ])
    func `a mistyped option is corrected in the error`(_ words: [String], _ complaint: String) throws {
        #expect(try Deskgate.run(words).errors.hasPrefix("deskgate: unknown option: \(complaint)\nusage: deskgate "))
    }

    @Test(arguments: commands)
    func `a surplus argument is reported`(_ command: [String]) throws {
        let scratch = try TemporaryDirectory()
        let words = command + [scratch.path("one"), scratch.path("two")]
        let answer = try said(words)
        #expect(answer.code == 2)
        #expect(answer.errors.hasPrefix("deskgate: an argument too many"))
        #expect(answer.errors.contains("\nusage: "))
        guard Self.some.contains(command) else { return }
        let result = try Deskgate.run(words)
        #expect((result.code, result.output, result.errors) == answer)
        #expect(scratch.contents().isEmpty)
    }

    @Test(arguments: [
        (["key", "mint"], "--app ID"),
        (["key", "mint", "--config", "c"], "--app ID"), (["key", "mint", "--config", "c", "--app", "a"], "--user ID"),
        (["key", "verify", "--config=c", "--app=a", "--user=u"], "--key KEY"), (["key", "inspect"], "--key KEY"),
        (["simulate"], "--directory DIR"),
    ])
    func `a missing required option is reported`(_ words: [String], _ what: String) throws {
        let result = try Deskgate.run(words)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: \(what) is missing\nusage: "))
        #expect(result.errors.split(separator: "\n", omittingEmptySubsequences: false).count == 3)
    }

    @Test(arguments: [
        (["check", "--config", "a", "--config", "b"], "--config: given twice"),
        (["check", "--config=a", "--config=a"], "--config: given twice"),
        (["version", "--json=yes"], "--json: takes no value"),
        (["check", "--config"], "--config: needs a value: --config FILE"),
        (["key", "mint", "--app=a", "--user=u", "--ttl=soon"], "--ttl: expected a time such as "),
        (["key", "mint", "--app=a", "--user=u", "--key-id", "x"], "--key-id: expected a number from 0 to 4294967295"),
        (["deliveries", "list", "--ticket", ""], "--ticket: expected 1 to 255 bytes without control characters."),
        (["deliveries", "list", "--state", "x"], "--state: expected pending, delivered, dead or no_target."),
        (["deliveries", "list", "--from", "today"], "--from: expected a time such as "),
        (["tokens", "list", "--app", "a", "--after", "x"], "--after: expected the value of next from an earlier list."),
        (["tokens", "remove", "--app", "", "--user", "u"], "--app: missing; expected the owner of the push tokens."),
        (["revocations", "list", "--user", "u"], "--app: missing; --app and --user name a person together."),
        (["revoke", "--app", "a", "--key", "KEY", "--issued-before", "5"], "--issued-before: does not go with --key."),
        (
            ["explain", "--user", "u", "--comment", "1"],
            "--user: goes with neither --comment nor --delivery, which belong to one person already."
        ),
        (["tickets", "show", "--app", "a"], "--ticket: expected either it or --channel."),
        (["tickets", "fields", "--app", "a", "--field", "k=v"], "--ticket: expected either it or --user."),
        (["tickets", "relate", "--app", "a", "--ticket", "1"], "--related: expected either it or --none"),
        (["tickets", "relate", "--app", "a", "--ticket", "1", "--related", "c", "--none"], "--related: expected either it or --none"),
        (["deliveries", "purge", "--state", "dead", "--notifier", "n"], "--notifier: goes with --state pending, and without --before."),
    ])
    func `an invalid value shows only its option`(_ words: [String], _ complaint: String) throws {
        // No argument of a test is a security key, because the test output contains the arguments.
        let result = try Deskgate.run(words.map { $0 == "KEY" ? wellFormedKey : $0 })
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: \(complaint)"))
        let option = try #require(complaint.split(separator: ":").first)
        #expect(result.errors.split(separator: "\n").dropFirst().first?.hasPrefix("  \(option)") == true)
        #expect(!result.errors.contains("usage: "))
        #expect(!result.errors.contains("\n\n"))
    }

    @Test(arguments: [
        (["explain"], "Name one of --user, --key, --comment, --device and --delivery."),
        (["find", ""], "ID: expected the name that is searched for."),
    ])
    func `a mistake outside of options is reported in the command's words`(_ words: [String], _ complaint: String) throws {
        let result = try Deskgate.run(words)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: \(complaint)\nusage: deskgate "))
    }

    @Test(arguments: [
        ("app_id: no app of this name is configured.", "--app: no app of this name is configured."),
        ("security_key: it is not a key: of anybody", "--key: it is not a key: of anybody"),
        ("The store is full: free some space.", "The store is full: free some space."), ("No such user", "No such user"), ("", ""),
    ])
    func `an error of the service is reported in the command's words`(_ message: String, _ reported: String) throws {
        let command = try #require(CommandTable.commands.first { $0.name == "revoke" })
        #expect(command.translated(message) == reported)
    }

    @Test(arguments: [
        (["key", "mint", "--json"], "--app ID is missing", nil), (["serv", "--json"], "unknown command: serv; did you mean serve?", nil),
        (["--json"], "the command comes first, before its options: --json", nil),
        (["deliveries", "list", "--ticket", "", "--json"], "--ticket: expected 1 to 255 bytes without control characters.", "--ticket"),
        (["version", "--json", "--json"], "--json: given twice", "--json"),
    ])
    func `mistakes are JSON with the option json`(_ words: [String], message: String, option: String?) throws {
        let result = try Deskgate.run(words)
        #expect(result.code == 2)
        #expect(result.errors.isEmpty)
        let json = try result.json
        #expect(json.string("error") == "usage")
        #expect(json.string("message") == message)
        #expect(json.string("option") == option)
    }

    @Test func `json after two hyphens is no option`() throws {
        let result = try Deskgate.run("find", "--", "--json", "x")
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: an argument too many: x\n"), "\(result.errors)")
    }

    @Test func `mistakes in the configuration are JSON with the option json`() throws {
        let workspace = try Workspace(["listen": ["port": -1]])
        let words = ["--config", workspace.configuration, "--json"]
        let result = try Deskgate.run(["deliveries", "list"] + words)
        #expect(result.code == 2)
        #expect(result.errors.isEmpty)
        let json = try result.json
        #expect(json.string("error") == "configuration")
        let problem = try #require(json["problems"]?.elements.first)
        #expect(problem["path"] == "$.listen.port")
        #expect(problem["message"] == "expected an integer from 0 to 65535, found -1")
        guard case .integer(let line)? = problem["line"] else { throw ChildProcess.Failure.missingOutput }
        let lines = try workspace.read("config.json").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[Int(line) - 1].contains(#""port""#))
    }

    @Test func `an argument that is not UTF-8 is reported`() throws {
        let words = ["key", "mint", "--config", "c", "--app", "a", "--user"].map { Array($0.utf8) } + [[0x61, 0xFF]]
        let process = try ChildProcess(Deskgate.path, words)
        #expect(try process.waitForEnd() == .exit(2))
        #expect(try process.errors.text() == "deskgate: an argument is not UTF-8\n")
        #expect(try process.output.text().isEmpty)
    }

    @Test(arguments: Array(misplacements.enumerated()).map(\.offset))
    func `misplaced key is never repeated`(_ number: Int) throws {
        let result = try Deskgate.run(misplacements[number])
        #expect(result.code == 2)
        let isSilent = !"\(result.output)\(result.errors)".contains(wellFormedKey)
        #expect(isSilent)
    }

    @Test func `output that cannot be written fails`() throws {
        let process = try ChildProcess("/bin/sh", ["-c", "exec \"$0\" version >/dev/full", Deskgate.path].map { Array($0.utf8) })
        #expect(try process.waitForEnd() == .exit(2))
        #expect(try process.errors.text() == "deskgate: cannot write the result: No space left on device\n")
    }
}

/// Command lines with a security key in a wrong place.
private let misplacements: [[String]] = {
    let key = wellFormedKey
    let mint = ["key", "mint", "--config", "c", "--app", "a", "--user", "u"]
    let verify = ["key", "verify", "--config", "c", "--app", "a", "--user", "u", "--key", key]
    return [
        [key], ["key", key], ["key", "mint", key], ["key", "inspect", key], ["key", "inspect", "--key", key, key],
        ["verify", "--key", key],
        ["--\(key)"], ["--key=\(key)"], ["-\(key)"], ["version", "--\(key)"], ["version", "-\(key)"], ["version", "--json=\(key)"],
        ["init", key], ["init", "--app", key], ["check", "--config", key], ["serve", "--config=\(key)"], ["secret", "new", key],
        ["version", "--json", "--\(key)"], ["key", "--json", key],
        mint + ["--ttl", key], mint + ["--key-id", key], verify + ["--at", key], verify + [key], verify + ["--key", key],
    ]
}()
