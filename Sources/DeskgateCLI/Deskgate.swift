internal import POSIX

/// The command `deskgate`: finds the subcommand, runs it, and ends with its exit code.
@main
struct Deskgate {
    /// The table of all commands, from which parser, help and suggestions are made.
    static let commands: [any Command.Type] = [
        InitCommand.self, ServeCommand.self, CheckCommand.self, StatusCommand.self, HealthCommand.self, KeyMintCommand.self,
        KeyVerifyCommand.self,
        KeyInspectCommand.self,
        SecretNewCommand.self, DeliveriesListCommand.self, DeliveriesShowCommand.self, DeliveriesRetryCommand.self,
        DeliveriesPurgeCommand.self, TokensListCommand.self, TokensRemoveCommand.self, StoreBackupCommand.self,
        StoreRestoreCommand.self, PushTestCommand.self, SimulateCommand.self,
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
        let isJSON = words.contains("--\(Option.json.name)")
        guard let (command, rest) = find(words) else { return withoutCommand(words, isJSON) }
        do throws(CommandError) {
            let arguments = try Arguments(rest, for: command)
            if arguments.wantsHelp {
                Console.print(Help.text(of: command))
                return .done
            }
            return try command.run(arguments)
        } catch {
            isJSON ? Console.print(error.json) : Console.remark(error.text(command))
            return error.code
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

    private static func withoutCommand(_ words: [String], _ isJSON: Bool) -> ExitCode {
        if words.first == "help" || words.contains(where: Arguments.isHelp) {
            let topic = words.filter { !$0.hasPrefix("-") && $0 != "help" }
            Console.print(find(topic).map { Help.text(of: $0.0) } ?? Help.overview(topic.first))
            return .done
        }
        if words == ["--version"] { return VersionCommand.run(Arguments()) }
        let (complaint, remedy) = UnknownCommand.describe(words)
        isJSON ? Console.print(CommandError.usage(complaint).json) : Console.complain("\(complaint)\n\n\(remedy)")
        return .usage
    }
}
