internal import POSIX

/// The command `deskgate`: finds the subcommand, runs it, and ends with its exit code.
@main
struct Deskgate {
    static let commands: [any Command.Type] = [
        InitCommand.self, ServeCommand.self, CheckCommand.self, KeyMintCommand.self, KeyVerifyCommand.self, KeyInspectCommand.self,
        SecretNewCommand.self, DeliveriesListCommand.self, DeliveriesShowCommand.self, DeliveriesRetryCommand.self,
        DeliveriesPurgeCommand.self, TokensListCommand.self, TokensRemoveCommand.self, PushTestCommand.self, SimulateCommand.self,
        VersionCommand.self,
    ]

    static func main() {
        POSIX.Process.ignoreBrokenPipes()
        POSIX.Process.holdStandardDescriptors()
        POSIX.Process.exit(run().rawValue)
    }

    private static func run() -> ExitCode {
        guard let words = POSIX.Process.arguments() else {
            Console.complain("an argument is not UTF-8")
            return .usage
        }
        guard let (command, rest) = find(words) else { return withoutCommand(words) }
        do throws(UsageError) {
            let arguments = try Arguments(rest, for: command)
            if arguments.wantsHelp {
                Console.print(Help.text(of: command))
                return .done
            }
            return try command.run(arguments)
        } catch {
            Console.complain("\(error.message)\n\n\(Help.text(of: command))")
            return .usage
        }
    }

    /// The command whose words the line begins with; `key mint` has two.
    private static func find(_ words: [String]) -> (any Command.Type, rest: [String])? {
        for command in commands {
            let name = command.name.split(separator: " ").map(String.init)
            if words.starts(with: name) { return (command, Array(words.dropFirst(name.count))) }
        }
        return nil
    }

    private static func withoutCommand(_ words: [String]) -> ExitCode {
        if words.contains("--help") || words.first == "help" {
            Console.print(Help.overview(words.first { !$0.hasPrefix("-") && $0 != "help" }))
            return .done
        }
        if words == ["--version"] { return VersionCommand.run(Arguments()) }
        let complaint = words.isEmpty ? "a command is missing" : "unknown command" + Console.mention(words.prefix(2))
        Console.complain("\(complaint)\n\n\(Help.overview(nil))")
        return .usage
    }
}
