internal import Service

/// The output of `--help`, generated from the table of commands.
enum Help {
    static let subject = "the server half of an embedded support chat"
    private static let nameWidth = 22
    /// The minimum width of a terminal.
    private static let lineWidth = 80

    /// All commands in their groups, or those whose first word is `word`.
    static func overview(_ word: String?) -> String {
        let family = CommandTable.commands.filter { $0.words.first == word }
        let groups = family.isEmpty ? CommandTable.groups : [(title: "Commands", commands: family)]
        let lists = groups.map { group in
            "\(group.title):\n" + group.commands.map { row("  \($0.name)", $0.summary) }.joined(separator: "\n")
        }
        return """
            deskgate \(Version.current): \(subject)

            usage: deskgate COMMAND [--OPTION VALUE]…

            \(lists.joined(separator: "\n\n"))

            To begin: deskgate init, then deskgate serve.
            More on one command: deskgate COMMAND --help, or -h. On all: man deskgate.
            Exit codes: \(ExitCode.allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")).
            """
    }

    static func text(of command: Command) -> String {
        let operands = command.operand.map { [row(of: $0)] } ?? []
        let rows = operands + (command.options + [.help]).map(row)
        let examples = command.examples.map { "  \($0.line)\n" + indented($0.text, by: 6) }
        return """
            \(wrappedUsage(of: command))

            \(wrapped(description(of: command), lineWidth).joined(separator: "\n"))

            \(rows.joined(separator: "\n"))

            Examples:
            \(examples.joined(separator: "\n"))
            """
    }

    static func row(_ option: Option) -> String {
        row("  \(option.spelling)", option.text + note(on: option.value, option.fallback))
    }

    static func usage(of command: Command) -> String { (["deskgate", command.name] + usageWords(of: command)).joined(separator: " ") }

    private static func usageWords(of command: Command) -> [String] {
        let options = command.options.map { option in
            option.isRequired ? option.spelling : option.isRepeatable ? "[\(option.spelling)]…" : "[\(option.spelling)]"
        }
        guard let operand = command.operand else { return options }
        return options + [operand.isRequired ? operand.value.placeholder : "[\(operand.value.placeholder)]"]
    }

    /// The usage in lines that begin below the first option.
    private static func wrappedUsage(of command: Command) -> String {
        let start = "usage: deskgate \(command.name) "
        let indent = String(repeating: " ", count: start.count)
        return start + wrapped(usageWords(of: command), lineWidth - start.count).joined(separator: "\n\(indent)")
    }

    /// Describes a command with its special exit codes.
    static func description(of command: Command) -> String {
        let text = command.summary + (command.details.map { " \($0)" } ?? "")
        if command.exits.isEmpty { return text }
        return "\(text) Exit code " + command.exits.map { "\($0.rawValue) \($1)" }.joined(separator: ", ") + "."
    }

    private static func row(of operand: Operand) -> String {
        row("  \(operand.value.placeholder)", operand.text + note(on: operand.value, operand.fallback))
    }

    /// The note after an option or operand: whether it can be read from standard input, and the default.
    static func note(on value: Value?, _ fallback: String?) -> String {
        (value?.isSecret == true ? SecretInput.help : "") + (fallback.map { "; default: \($0)" } ?? "")
    }

    /// Two columns. A left text that is too wide gets its own line; a long right text is wrapped.
    private static func row(_ left: String, _ right: String) -> String {
        let indent = String(repeating: " ", count: nameWidth)
        let text = wrapped(right, lineWidth - nameWidth).joined(separator: "\n\(indent)")
        return left.utf8.count < nameWidth
            ? left + String(repeating: " ", count: nameWidth - left.utf8.count) + text : "\(left)\n\(indent)\(text)"
    }

    private static func indented(_ text: String, by count: Int) -> String {
        let indent = String(repeating: " ", count: count)
        return wrapped(text, lineWidth - count).map { indent + $0 }.joined(separator: "\n")
    }

    private static func wrapped(_ text: String, _ width: Int) -> [String] { wrapped(text.split(separator: " ").map(String.init), width) }

    /// Words in lines of at most this width; a longer word has a line of its own.
    private static func wrapped(_ words: [String], _ width: Int) -> [String] {
        var lines = [""]
        for word in words {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = word
            } else if line.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines
    }
}
