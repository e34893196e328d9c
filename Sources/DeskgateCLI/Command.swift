enum ExitCode: Int32, CaseIterable {
    case done = 0
    case negative = 1
    /// Invalid usage, invalid configuration, or failure.
    case usage = 2

    /// The meaning for all commands, as shown in help.
    var meaning: String {
        switch self {
        case .done: "done"
        case .negative: "a negative answer"
        case .usage: "invalid usage or configuration"
        }
    }
}

/// One command as data: the parser, the help, usage errors, suggestions, the manual page and the shells' completions read it.
struct Command: Sendable {
    /// One, two or three words, such as `key mint`.
    let name: String
    let summary: String
    /// Further sentences for the help; nil when the summary suffices.
    let details: String?
    /// The exit codes with a special meaning for this command, each with the condition that ends the sentence "exit 1 …".
    let exits: KeyValuePairs<ExitCode, String>
    /// The positional argument; nil when the command has none.
    let operand: Operand?
    /// The options except `--help`.
    let options: [Option]
    let examples: [Example]
    /// Runs the command with arguments that match the declaration.
    let run: @Sendable (Arguments) throws(CommandError) -> ExitCode

    init(
        _ name: String, _ summary: String, details: String? = nil, exits: KeyValuePairs<ExitCode, String> = [:], operand: Operand? = nil,
        options: [Option], examples: [Example], run: @escaping @Sendable (Arguments) throws(CommandError) -> ExitCode
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.exits = exits
        self.operand = operand
        self.options = options
        self.examples = examples
        self.run = run
    }

    var words: [String] { name.split(separator: " ").map(String.init) }

    /// The option for a parameter of the admin listener's requests.
    func option(for field: String) -> Option? { options.first { $0.field == field } }

    /// The option or operand for a parameter, as typed; the parameter's own name when there is none.
    func word(for field: String) -> String {
        if let option = option(for: field) { return "--\(option.name)" }
        return operand.flatMap { $0.field == field ? $0.value.placeholder : nil } ?? field
    }

    /// An answer's message with the command's word in place of a parameter's name at its beginning.
    func translated(_ message: String) -> String {
        let parts = message.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? "\(word(for: String(parts[0]))):\(parts[1])" : message
    }
}

/// A command line that shows the usage of a command.
struct Example: Sendable {
    /// The line for a shell, including `deskgate` and the commands that provide its standard input.
    let line: String
    let text: String

    init(_ line: String, _ text: String) {
        self.line = line
        self.text = text
    }
}

struct Operand: Sendable {
    let value: Value
    let isRequired: Bool
    /// The default, in words.
    let fallback: String?
    /// The field name in requests to the admin listener; nil for none.
    let field: String?
    let text: String

    init(_ value: Value, required isRequired: Bool = true, default fallback: String? = nil, field: String? = nil, _ text: String) {
        self.value = value
        self.isRequired = isRequired
        self.fallback = fallback
        self.field = field
        self.text = text
    }
}

struct Option: Sendable {
    /// Without the dashes.
    let name: String
    /// nil for a switch.
    let value: Value?
    let isRequired: Bool
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// The default, in words; nil when there is none to mention.
    let fallback: String?
    /// The field name in requests to the admin listener, for operators' actions.
    let field: String
    let text: String

    /// Declares an option.
    /// - Parameter field: the field name in admin requests, if it differs from the option's name.
    init(
        _ name: String, value: Value? = nil, required isRequired: Bool = false, repeatable isRepeatable: Bool = false,
        default fallback: String? = nil, field: String? = nil, _ text: String
    ) {
        self.name = name
        self.value = value
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.fallback = fallback
        self.field = field ?? name
        self.text = text
    }

    /// The form on the command line, such as `--config FILE`.
    var spelling: String { "--\(name)" + (value.map { " \($0.placeholder)" } ?? "") }

    /// The path of the configuration, which most commands need.
    static let config = Option(
        "config", value: .file, default: "$\(ConfigurationFile.variable), or \(ConfigurationFile.usual)", "the configuration")
    /// The author, for commands that make a change (`Arguments.author`).
    static let author = Option(
        "author", value: .text("NAME"), default: "the user of the operating system", "who makes the change, for audit lines and revocations"
    )
    static let json = Option("json", "print one JSON object, for machines; mistakes too")
    /// The option that the parser accepts for every command.
    static let help = Option("help", "this text; -h for short")
}
