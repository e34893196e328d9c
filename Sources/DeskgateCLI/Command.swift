/// How a command ended, for scripts.
enum ExitCode: Int32 {
    /// It did what it was asked.
    case done = 0
    /// It answered, and the answer is no.
    case negative = 1
    /// It was called wrongly, or the configuration is wrong.
    case usage = 2
}

/// A mistake in the command line.
struct UsageError: Error {
    let message: String
}

/// One subcommand, with what its help says.
protocol Command: Sendable {
    /// Its word or words, such as `key mint`.
    static var name: String { get }
    /// One line of what it does.
    static var summary: String { get }
    /// The name of the one argument without an option, nil when it takes none.
    static var operand: Operand? { get }
    /// Its options beside `--help`.
    static var options: [Option] { get }

    static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode
}

extension Command {
    static var operand: Operand? { nil }
}

/// The argument of a command that stands without an option.
struct Operand {
    let name: String
    let isRequired: Bool
    /// Whether it is a secret, which `-` reads from standard input.
    var isSecret = false
    let help: String
}

/// One long option.
struct Option {
    /// Its name without the dashes.
    let name: String
    /// What its value is called; nil for a switch.
    let value: String?
    let isRequired: Bool
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// Whether its value is a secret, which `-` reads from standard input.
    let isSecret: Bool
    let help: String

    init(
        _ name: String, value: String? = nil, required isRequired: Bool = false, repeatable isRepeatable: Bool = false,
        secret isSecret: Bool = false, _ help: String
    ) {
        self.name = name
        self.value = value
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.isSecret = isSecret
        self.help = help
    }

    static let config = Option("config", value: "FILE", required: true, "the configuration")
    static let json = Option("json", "print one JSON object, for machines")
}
