internal import Operators
internal import Service

/// How a command ended, for scripts.
enum ExitCode: Int32 {
    /// It did what it was asked.
    case done = 0
    /// It answered, and the answer is no.
    case negative = 1
    /// It was called wrongly, or the configuration is wrong.
    case usage = 2
}

/// One subcommand as data: the parser, the help and the suggestions read the same declaration, so that nothing is written twice.
protocol Command: Sendable {
    /// Its word or words, such as `key mint`.
    static var name: String { get }
    /// One line of what it does.
    static var summary: String { get }
    /// The one argument without an option, nil when it takes none.
    static var operand: Operand? { get }
    /// Its options beside `--help`.
    static var options: [Option] { get }

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode
}

extension Command {
    static var operand: Operand? { nil }

    /// Makes an operator's question out of the options; a mistake in it names the option.
    static func question<Action>(_ make: () throws(AdminMistake) -> Action) throws(CommandError) -> Action {
        do throws(AdminMistake) {
            return try make()
        } catch {
            throw .mistake(error, in: Self.self)
        }
    }
}

/// The argument of a command that stands without an option.
struct Operand: Sendable {
    /// What it is called, such as `DIR`.
    let name: String
    let isRequired: Bool
    /// Whether `-` has it read from standard input, where no list of processes shows it.
    let isSecret: Bool
    let help: String

    init(name: String, isRequired: Bool, isSecret: Bool = false, help: String) {
        self.name = name
        self.isRequired = isRequired
        self.isSecret = isSecret
        self.help = help
    }
}
