internal import Service

/// The output of `--help`, generated from the table of commands.
enum Help {
    /// What the program is.
    static let subject = "the server half of an embedded support chat"
    private static let nameWidth = 22
    private static let lineWidth = 110

    /// All commands, or those whose first word is `word`.
    static func overview(_ word: String?) -> String {
        let family = CommandTable.commands.filter { $0.words.first == word }
        let rows = (family.isEmpty ? CommandTable.commands : family).map { row("  \($0.name)", description(of: $0)) }
        return """
            deskgate \(Version.current): \(subject)

            usage: deskgate COMMAND [--OPTION VALUE]…

            \(rows.joined(separator: "\n"))

            Every command explains itself with --help or -h.
            Exit codes: \(ExitCode.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")).
            """
    }

    /// One command.
    static func text(of command: Command) -> String {
        let operands = command.operand.map { [row(of: $0)] } ?? []
        let rows = operands + (command.options + [.help]).map(row)
        let examples = command.examples.map { "  \($0.line)\n      \($0.text)" }
        return """
            usage: \(usage(of: command))

            \(description(of: command))

            \(rows.joined(separator: "\n"))

            Examples:
            \(examples.joined(separator: "\n"))
            """
    }

    /// One option with its text.
    static func row(_ option: Option) -> String {
        row("  \(option.spelling)", option.text + note(on: option.value, option.fallback))
    }

    /// The usage of a command in one line.
    static func usage(of command: Command) -> String {
        var words = ["deskgate", command.name]
        for option in command.options {
            words.append(option.isRequired ? option.spelling : option.isRepeatable ? "[\(option.spelling)]…" : "[\(option.spelling)]")
        }
        if let operand = command.operand { words.append(operand.isRequired ? operand.value.placeholder : "[\(operand.value.placeholder)]") }
        return words.joined(separator: " ")
    }

    /// What a command does, with its special exit codes.
    static func description(of command: Command) -> String {
        let text = command.summary + (command.details.map { " \($0)" } ?? "")
        if command.exits.isEmpty { return text }
        let exits = "xit " + command.exits.map { "\($0.rawValue) \($1)" }.joined(separator: ", ") + "."
        // A sentence has at most one colon.
        return text.contains(":") ? "\(text) E\(exits)" : "\(text.dropLast()): e\(exits)"
    }

    private static func row(of operand: Operand) -> String {
        row("  \(operand.value.placeholder)", operand.text + note(on: operand.value, operand.fallback))
    }

    /// What follows the text of an option or operand: whether it can be read from standard input, and the default.
    static func note(on value: Value?, _ fallback: String?) -> String {
        (value?.isSecret == true ? SecretInput.help : "") + (fallback.map { "; default: \($0)" } ?? "")
    }

    /// Two columns. A left text that is too wide gets its own line; a long right text is wrapped.
    private static func row(_ left: String, _ right: String) -> String {
        let indent = String(repeating: " ", count: nameWidth)
        let text = wrapped(right).joined(separator: "\n\(indent)")
        return left.utf8.count < nameWidth
            ? left + String(repeating: " ", count: nameWidth - left.utf8.count) + text : "\(left)\n\(indent)\(text)"
    }

    private static func wrapped(_ text: String) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + 1 + word.count <= lineWidth - nameWidth {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
