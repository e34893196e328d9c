internal import POSIX

/// The executable `deskgate`: finds the command, runs it, and ends with its exit code.
@main
struct Deskgate {
    static func main() {
        POSIX.Process.ignoreBrokenPipes()
        POSIX.Process.holdStandardDescriptors()
        POSIX.Process.exit(run().rawValue)
    }

    private static func run() -> ExitCode {
        guard var words = POSIX.Process.arguments() else {
            Console.complain("an argument is not UTF-8")
            return .usage
        }
        if words == ["--version"] { words = StatusCommands.version.words }
        let isJSON = words.contains("--\(Option.json.name)")
        guard let (command, rest) = CommandTable.find(words) else { return withoutCommand(words, isJSON) }
        do throws(CommandError) {
            var arguments = try Arguments(rest, for: command)
            if arguments.wantsHelp {
                Console.print(Help.text(of: command))
                return .done
            }
            try arguments.readSecrets()
            return try command.run(arguments)
        } catch {
            isJSON ? Console.print(error.json) : Console.remark(error.text(command))
            return error.code
        }
    }

    private static func withoutCommand(_ words: [String], _ isJSON: Bool) -> ExitCode {
        if words.first == "help" || words.contains(where: Arguments.isHelp) {
            let topic = words.filter { !$0.hasPrefix("-") && $0 != "help" }
            Console.print(CommandTable.find(topic).map { Help.text(of: $0.command) } ?? Help.overview(topic.first))
            return .done
        }
        let (complaint, remedy) = CommandTable.describeUnknown(words)
        isJSON ? Console.print(CommandError.usage(complaint).json) : Console.complain("\(complaint)\n\n\(remedy)")
        return .usage
    }
}
