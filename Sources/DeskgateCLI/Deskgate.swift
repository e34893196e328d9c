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
        guard let words = POSIX.Process.arguments() else {
            Console.complain("an argument is not UTF-8")
            return .usage
        }
        switch ParsedCommandLine(words) {
        case .show(let help):
            Console.print(help)
            return .done
        case .refuse(let text, let error): return refuse(text, error: error, words: words)
        case .run(let command, var arguments):
            do throws(CommandError) {
                try arguments.readSecrets()
                return try command.run(arguments)
            } catch {
                return refuse(error.text(command), error: error, words: words)
            }
        }
    }

    private static func refuse(_ text: String, error: CommandError, words: [String]) -> ExitCode {
        ParsedCommandLine.isForJSON(words) ? Console.print(error.json) : Console.remark(text)
        return error.code
    }
}
