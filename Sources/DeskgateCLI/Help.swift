internal import Service

/// What `--help` prints, from the declarations of the commands.
enum Help {
    private static let nameWidth = 22
    private static let lineWidth = 110

    /// All commands, or those whose first word is `word`.
    static func overview(_ word: String?) -> String {
        let family = Deskgate.commands.filter { $0.name.split(separator: " ").first.map { String($0) } == word }
        let rows = (family.isEmpty ? Deskgate.commands : family).map { ("  \($0.name)", $0.summary) }
        return """
            deskgate \(Version.current): the server half of an embedded support chat

            usage: deskgate COMMAND [--OPTION VALUE]…

            \(table(rows))

            Every command explains itself with --help or -h.
            Exit codes: 0 done, 1 a negative answer, 2 wrong usage or configuration.
            """
    }

    /// One command.
    static func text(of command: any Command.Type) -> String {
        let operands = command.operand.map { [row(of: $0)] } ?? []
        let rows = operands + (command.options + [.help]).map(row)
        return "usage: \(usage(of: command))\n\n\(command.summary)\n\n\(rows.joined(separator: "\n"))"
    }

    /// One option with what it means.
    static func row(_ option: Option) -> String {
        var help = option.help
        if option.isSecret { help += SecretInput.help }
        if let fallback = option.fallback { help += "; default: \(fallback)" }
        return row("  \(option.spelling)", help)
    }

    /// How a command is called, in one line.
    static func usage(of command: any Command.Type) -> String {
        var words = ["deskgate", command.name]
        for option in command.options {
            words.append(option.isRequired ? option.spelling : option.isRepeatable ? "[\(option.spelling)]…" : "[\(option.spelling)]")
        }
        if let operand = command.operand { words.append(operand.isRequired ? operand.name : "[\(operand.name)]") }
        return words.joined(separator: " ")
    }

    private static func row(of operand: Operand) -> String {
        row("  \(operand.name)", operand.help + (operand.isSecret ? SecretInput.help : ""))
    }

    private static func table(_ rows: [(String, String)]) -> String {
        rows.map { row($0, $1) }.joined(separator: "\n")
    }

    /// Two columns; a left side too wide for its column gets a line of its own, and a long right side goes on below.
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
