import TestSupport
import Testing

/// What all commands have in common.
@Suite struct CommandLineTests {
    private static let commands = [
        ["init"], ["serve"], ["check"], ["key", "mint"], ["key", "verify"], ["key", "inspect"], ["secret", "new"],
        ["deliveries", "list"], ["deliveries", "show"], ["deliveries", "retry"], ["deliveries", "purge"], ["push", "test"], ["simulate"],
        ["version"],
    ]

    @Test(arguments: commands)
    func helpGoesToTheOutput(_ command: [String]) throws {
        let help = try Deskgate.run(command + ["--help"])
        #expect(help.code == 0)
        #expect(help.output.hasPrefix("usage: deskgate \(command.joined(separator: " "))"))
        #expect(help.output.contains("\n  --help "))
        #expect(help.errors.isEmpty)
    }

    @Test(arguments: commands)
    func helpNeedsNoRequiredOption(_ command: [String]) throws {
        #expect(try Deskgate.run(["--help"] + command).code == 0)
        #expect(try Deskgate.run(command + ["--help", "--help"]).code == 0)
    }

    @Test(arguments: [["--help"], ["help"]])
    func overviewNamesEveryCommand(_ words: [String]) throws {
        let overview = try Deskgate.run(words)
        #expect(overview.code == 0)
        #expect(overview.errors.isEmpty)
        for command in Self.commands {
            #expect(overview.output.contains("\ndeskgate \(command.joined(separator: " "))"))
        }
    }

    @Test(arguments: [["key", "--help"], ["help", "key"]])
    func overviewOfAFamilyLeavesTheOthersOut(_ words: [String]) throws {
        let overview = try Deskgate.run(words)
        #expect(overview.code == 0)
        #expect(overview.output.contains("deskgate key mint"))
        #expect(!overview.output.contains("deskgate serve"))
    }

    @Test func commandIsMissing() throws {
        let result = try Deskgate.run()
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: a command is missing\n\n"))
    }

    @Test(arguments: [
        (["serv"], "deskgate: unknown command: serv\n"), (["key"], "deskgate: unknown command: key\n"),
        (["key", "rotate"], "deskgate: unknown command: key rotate\n"), (["Serve"], "deskgate: unknown command: Serve\n"),
        ([""], "deskgate: unknown command\n"), (["--json", "version"], "deskgate: unknown command: --json version\n"),
    ])
    func commandIsUnknown(_ words: [String], _ complaint: String) throws {
        let result = try Deskgate.run(words)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("\(complaint)\n"))
    }

    @Test(arguments: commands)
    func optionIsUnknown(_ command: [String]) throws {
        for (option, complaint) in [
            ("--colour", "--colour"), ("-h", "-h"), ("--", "--"), ("--colour=red", "--colour"), ("--JSON", "--JSON"),
        ] {
            let result = try Deskgate.run(command + [option])
            #expect(result.code == 2)
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix("deskgate: unknown option: \(complaint)\n\nusage: deskgate "))
        }
    }

    @Test(arguments: commands)
    func argumentIsTooMany(_ command: [String]) throws {
        let scratch = try TemporaryDirectory()
        let result = try Deskgate.run(command + [scratch.path("one"), scratch.path("two")])
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: an argument too many\n\nusage: "))
        #expect(scratch.contents().isEmpty)
    }

    @Test(arguments: [
        (["serve"], "--config FILE"), (["check"], "--config FILE"), (["key", "mint"], "--config FILE"),
        (["key", "mint", "--config", "c"], "--app ID"), (["key", "mint", "--config", "c", "--app", "a"], "--user ID"),
        (["key", "verify", "--config=c", "--app=a", "--user=u"], "--key KEY"), (["key", "inspect"], "KEY"),
        (["simulate"], "--directory DIR"),
    ])
    func requiredIsMissing(_ words: [String], _ what: String) throws {
        let result = try Deskgate.run(words)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: \(what) is missing\n\nusage: "))
    }

    @Test(arguments: [
        (["check", "--config", "a", "--config", "b"], "--config is given twice"),
        (["check", "--config=a", "--config=a"], "--config is given twice"),
        (["version", "--json", "--json"], "--json is given twice"),
        (["version", "--json=yes"], "--json takes no value"),
        (["check", "--config"], "--config needs a value: --config FILE"),
    ])
    func optionIsMisused(_ words: [String], _ complaint: String) throws {
        let result = try Deskgate.run(words)
        #expect(result.code == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("deskgate: \(complaint)\n\nusage: "))
    }

    @Test func argumentIsNotText() throws {
        let words = ["key", "mint", "--config", "c", "--app", "a", "--user"].map { Array($0.utf8) } + [[0x61, 0xFF]]
        let process = try ChildProcess(Deskgate.path, words)
        #expect(try process.waitForEnd() == .exit(2))
        #expect(try process.errors.text() == "deskgate: an argument is not UTF-8\n")
        #expect(try process.output.text().isEmpty)
    }

    @Test(arguments: Array(misplacements.enumerated()).map(\.offset))
    func misplacedKeyIsNeverRepeated(_ number: Int) throws {
        let result = try Deskgate.run(misplacements[number])
        #expect(result.code == 2)
        let isSilent = !"\(result.output)\(result.errors)".contains(wellFormedKey)
        #expect(isSilent)
    }

    @Test func resultThatNobodyGetsIsNoSuccess() throws {
        let process = try ChildProcess("/bin/sh", ["-c", "exec \"$0\" version >/dev/full", Deskgate.path].map { Array($0.utf8) })
        #expect(try process.waitForEnd() == .exit(2))
        #expect(try process.errors.text() == "deskgate: cannot write the result: No space left on device\n")
    }
}

/// Command lines with a security key where none belongs.
private let misplacements: [[String]] = {
    let key = wellFormedKey
    let mint = ["key", "mint", "--config", "c", "--app", "a", "--user", "u"]
    let verify = ["key", "verify", "--config", "c", "--app", "a", "--user", "u", "--key", key]
    return [
        [key], ["key", key], ["key", "mint", key], ["key", "inspect", key, key], ["key", "inspect", "--key", key],
        ["verify", "--key", key],
        ["--\(key)"], ["--key=\(key)"], ["-\(key)"], ["version", "--\(key)"], ["version", "-\(key)"], ["version", "--json=\(key)"],
        ["init", key], ["init", "--app", key], ["check", "--config", key], ["serve", "--config=\(key)"], ["secret", "new", key],
        mint + ["--ttl", key], mint + ["--key-id", key], verify + ["--at", key], verify + [key], verify + ["--key", key],
    ]
}()
