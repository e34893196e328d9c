/// The exit code of a command.
enum ExitCode: Int32, CaseIterable {
    /// Success.
    case done = 0
    /// The command worked, and its answer is negative.
    case negative = 1
    /// Wrong usage, wrong configuration, or failure.
    case usage = 2

    /// Its meaning for every command, as shown in help.
    var meaning: String {
        switch self {
        case .done: "done"
        case .negative: "a negative answer"
        case .usage: "wrong usage or configuration"
        }
    }
}

/// One command as data, read by the parser, the help, usage errors and suggestions; a man page or shell completions could be generated from
/// it too.
struct Command: Sendable {
    /// Its name of one or two words, such as `key mint`.
    let name: String
    /// What it does, in one sentence.
    let summary: String
    /// Further sentences for the help; nil when the summary says everything.
    let details: String?
    /// The exit codes with a special meaning for this command, each with the condition that ends the sentence "exit 1 …".
    let exits: KeyValuePairs<ExitCode, String>
    /// The positional argument; nil when the command has none.
    let operand: Operand?
    /// Its options beside `--help`.
    let options: [Option]
    /// Runs the command with arguments that match the declaration.
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

/// A positional argument of a command.
struct Operand: Sendable {
    /// Its kind of value.
    let value: Value
    let isRequired: Bool
    /// The default, in words.
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
    /// Its kind of value; nil for a switch.
    let value: Value?
    let isRequired: Bool
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// The default, in words; nil when there is none to mention.
    let fallback: String?
    /// Its field name in requests to the admin listener, for operators' actions.
    let field: String
    /// What it means, in a few words.
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

    /// As typed, such as `--config FILE`.
    var spelling: String { "--\(name)" + (value.map { " \($0.placeholder)" } ?? "") }

    /// The path of the configuration, which most commands need.
    static let config = Option(
        "config", value: .file, default: "$\(ConfigurationFile.variable), or \(ConfigurationFile.usual)", "the configuration")
    /// Prints results and errors as JSON.
    static let json = Option("json", "print one JSON object, for machines; mistakes too")
    /// The option that the parser accepts for every command.
    static let help = Option("help", "this text; -h for short")
}

/// The kind of value of an option or operand. The parser refuses other values, and completions can offer the valid ones.
enum Value: Sendable {
    /// Any text; the command or its operator's action checks it.
    case text(_ placeholder: String)
    /// A secret text: `-` reads it from standard input.
    case secret(_ placeholder: String)
    /// The path of a file.
    case file
    /// The path of a directory.
    case directory
    /// A decimal number.
    case number(ClosedRange<UInt64>, _ placeholder: String = "N")
    /// A lifetime, as `Duration` parses it.
    case lifetime
    /// An RFC 3339 time, which the operator's action parses.
    case time
    /// One of these words.
    case choice([String], _ placeholder: String)

    /// Its placeholder in help.
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

    /// Whether it is the path of a file or directory, which messages may repeat.
    var isPath: Bool {
        switch self {
        case .file, .directory: true
        default: false
        }
    }

    /// Why a text is not such a value; nil when it is.
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

/// Lifetimes as typed on the command line.
enum Duration {
    private static let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]

    /// Parses `90`, `90s`, `15m`, `12h` or `30d` into seconds; `never` is 0, and 0 means no expiry, as for `ttl_seconds`. Nil for anything
    /// else.
    static func seconds(_ text: String) -> UInt64? {
        if text == "never" { return 0 }
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? Substring(text) : text.dropLast()
        guard let number = UInt64(digits), digits.first != "+" else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflow ? nil : seconds
    }
}
