/// How a command ended, for scripts.
enum ExitCode: Int32, CaseIterable {
    /// It did what it was asked.
    case done = 0
    /// It answered, and the answer is no.
    case negative = 1
    /// It was called wrongly, the configuration is wrong, or it failed.
    case usage = 2

    /// What it means for every command, in a few words.
    var meaning: String {
        switch self {
        case .done: "done"
        case .negative: "a negative answer"
        case .usage: "wrong usage or configuration"
        }
    }
}

/// One command as data: the parser, the help, usage errors and suggestions read it, and so can whatever prints a man page or completions for a shell.
struct Command: Sendable {
    /// Its word or words, such as `key mint`.
    let name: String
    /// What it does, in one sentence.
    let summary: String
    /// What else a person must know, in sentences; nil when the summary says everything.
    let details: String?
    /// The exit codes that have a meaning of their own here, each with when the command ends so, as the end of the sentence "exit 1 …".
    let exits: KeyValuePairs<ExitCode, String>
    /// The one argument without an option, nil when it takes none.
    let operand: Operand?
    /// Its options beside `--help`.
    let options: [Option]
    /// Does it, with arguments that match what is declared here.
    let run: @Sendable (Arguments) throws(CommandError) -> ExitCode

    /// Declares a command.
    init(
        _ name: String, _ summary: String, details: String? = nil, exits: KeyValuePairs<ExitCode, String> = [:], operand: Operand? = nil,
        options: [Option], run: @escaping @Sendable (Arguments) throws(CommandError) -> ExitCode
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.exits = exits
        self.operand = operand
        self.options = options
        self.run = run
    }

    /// The words of its name.
    var words: [String] { name.split(separator: " ").map(String.init) }
}

/// The argument of a command that stands without an option.
struct Operand: Sendable {
    /// What it is.
    let value: Value
    let isRequired: Bool
    /// What holds when it is not given, in words.
    let fallback: String?
    /// What it means, in a few words.
    let text: String

    /// Declares an operand.
    init(_ value: Value, required isRequired: Bool = true, default fallback: String? = nil, _ text: String) {
        self.value = value
        self.isRequired = isRequired
        self.fallback = fallback
        self.text = text
    }
}

/// One long option of a command.
struct Option: Sendable {
    /// Its name without the dashes.
    let name: String
    /// What its value is; nil for a switch.
    let value: Value?
    let isRequired: Bool
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// What holds when it is not given, in words; nil when there is nothing to say.
    let fallback: String?
    /// What requests to the admin listener call it, where an operator's action takes it.
    let field: String
    /// What it means, in a few words.
    let text: String

    /// Declares an option.
    /// - Parameter field: where requests to the admin listener call it something else.
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

    /// As a person types it, such as `--config FILE`.
    var spelling: String { "--\(name)" + (value.map { " \($0.placeholder)" } ?? "") }

    /// The configuration, from which most commands start.
    static let config = Option(
        "config", value: .file, default: "$\(ConfigurationFile.variable), or \(ConfigurationFile.usual)", "the configuration")
    /// Has results and errors printed for machines.
    static let json = Option("json", "print one JSON object, for machines; mistakes too")
    /// What the parser takes for every command.
    static let help = Option("help", "this text; -h for short")
}

/// What the value of an option or an operand may be. The parser refuses any other, and completions can offer what is possible.
enum Value: Sendable {
    /// Any text, which the command or the operator's action that it is for judges.
    case text(_ placeholder: String)
    /// A text that nobody else may see: `-` has it read from standard input.
    case secret(_ placeholder: String)
    /// The path of a file.
    case file
    /// The path of a directory.
    case directory
    /// A decimal number.
    case number(ClosedRange<UInt64>, _ placeholder: String = "N")
    /// How long something lives, as `Duration` reads it.
    case lifetime
    /// A time of RFC 3339, which the operator's action that it is for reads.
    case time
    /// One of these words.
    case choice([String], _ placeholder: String)

    /// What stands for it in help.
    var placeholder: String {
        switch self {
        case .text(let placeholder), .secret(let placeholder), .number(_, let placeholder), .choice(_, let placeholder): placeholder
        case .file: "FILE"
        case .directory: "DIR"
        case .lifetime, .time: "TIME"
        }
    }

    /// Whether it may be read from standard input.
    var isSecret: Bool { if case .secret = self { true } else { false } }

    /// Whether it names a file or a directory, so that messages repeat it.
    var isPath: Bool {
        switch self {
        case .file, .directory: true
        default: false
        }
    }

    /// What is wrong with a text as this value; nil when nothing is.
    func problem(of text: String) -> String? {
        switch self {
        case .text, .secret, .file, .directory, .time: nil
        case .number(let range, _):
            UInt64(text).map(range.contains) == true ? nil : "expected a number from \(range.lowerBound) to \(range.upperBound)"
        case .lifetime:
            Duration.seconds(text) == nil ? "expected a time such as 90s, 15m, 12h or 30d; never or 0 is for ever" : nil
        case .choice(let words, _):
            words.contains { $0.utf8.elementsEqual(text.utf8) } ? nil : "expected \(Self.alternatives(words))."
        }
    }

    /// Words as alternatives in a sentence: `a, b or c`.
    static func alternatives(_ words: [String]) -> String {
        let first = words.dropLast().joined(separator: ", ")
        return first.isEmpty ? words.joined() : "\(first) or \(words[words.count - 1])"
    }
}

/// Lifetimes as people write them on the command line.
enum Duration {
    private static let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]

    /// `90`, `90s`, `15m`, `12h`, `30d` in seconds; `never` is 0, and 0 is for ever, as `ttl_seconds` has it. Nil for anything else.
    static func seconds(_ text: String) -> UInt64? {
        if text == "never" { return 0 }
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? Substring(text) : text.dropLast()
        guard let number = UInt64(digits), digits.first != "+" else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflow ? nil : seconds
    }
}
