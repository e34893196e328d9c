/// One long option of a command.
struct Option: Sendable {
    /// Its name without the dashes.
    let name: String
    /// What its value is called, such as `FILE`; nil for a switch.
    let value: String?
    let isRequired: Bool
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// Whether `-` has its value read from standard input, where no list of processes shows it.
    let isSecret: Bool
    /// What holds when it is not given, in words; nil when there is nothing to say.
    let fallback: String?
    /// What requests to the admin listener call it.
    let field: String
    let help: String

    /// Declares an option.
    /// - Parameter field: where requests to the admin listener call it something else.
    init(
        _ name: String, value: String? = nil, required isRequired: Bool = false, repeatable isRepeatable: Bool = false,
        secret isSecret: Bool = false, default fallback: String? = nil, field: String? = nil, _ help: String
    ) {
        self.name = name
        self.value = value
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.isSecret = isSecret
        self.fallback = fallback
        self.field = field ?? name
        self.help = help
    }

    /// As a person types it, such as `--config FILE`.
    var spelling: String { "--\(name)" + (value.map { " \($0)" } ?? "") }

    /// What nearly every command starts from.
    static let config = Option(
        "config", value: "FILE", default: "$\(ConfiguredCommand.variable), or \(ConfiguredCommand.usualFile)", "the configuration")
    /// Results and mistakes for machines.
    static let json = Option("json", "print one JSON object, for machines; mistakes too")
    /// What the parser takes for every command.
    static let help = Option("help", "this text; -h for short")
}
