internal import Service

/// What `--help` prints.
enum Help {
    /// All commands, or those that begin with `word`.
    static func overview(_ word: String?) -> String {
        let matching = Deskgate.commands.filter { command in word.map { command.name.hasPrefix($0) } ?? true }
        let commands = matching.isEmpty ? Deskgate.commands : matching
        let rows = commands.map { (usage(of: $0), $0.summary) }
        return """
            deskgate \(Version.current): the server half of an embedded support chat

            \(table(rows))

            Every command explains itself with --help.
            Exit codes: 0 done, 1 a negative answer, 2 wrong usage or configuration.
            """
    }

    /// One command.
    static func text(of command: any Command.Type) -> String {
        var rows = command.options.map { option in
            ("  --\(option.name)\(option.value.map { " \($0)" } ?? "")", option.help + (option.isSecret ? SecretInput.help : ""))
        }
        if let operand = command.operand {
            rows.insert(("  \(operand.name)", operand.help + (operand.isSecret ? SecretInput.help : "")), at: 0)
        }
        rows.append(("  --help", "this text"))
        return "usage: \(usage(of: command))\n\n\(command.summary)\n\n\(table(rows))"
    }

    private static func usage(of command: any Command.Type) -> String {
        var words = ["deskgate", command.name]
        for option in command.options {
            let text = "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
            words.append(option.isRequired ? text : option.isRepeatable ? "[\(text)]…" : "[\(text)]")
        }
        if let operand = command.operand { words.append(operand.isRequired ? operand.name : "[\(operand.name)]") }
        return words.joined(separator: " ")
    }

    /// Two columns; a left side too wide for its column gets a line of its own.
    private static func table(_ rows: [(String, String)]) -> String {
        let width = 22
        return rows.map { left, right in
            left.utf8.count < width
                ? left + String(repeating: " ", count: width - left.utf8.count) + right
                : "\(left)\n\(String(repeating: " ", count: width))\(right)"
        }.joined(separator: "\n")
    }
}
