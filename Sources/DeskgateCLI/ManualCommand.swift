internal import Configuration
internal import POSIX
internal import Service
internal import Time

/// `deskgate manual`
enum ManualCommand {
    static let command = Command(
        "manual", "Prints the manual page deskgate(1), in roff.",
        details: "Its date is today, or that of SOURCE_DATE_EPOCH.", options: [],
        examples: [
            Example("deskgate manual | man --local-file -", "Shows the page."),
            Example("deskgate manual >/usr/local/share/man/man1/deskgate.1", "Installs the page for man deskgate."),
        ]
    ) { _ in
        Console.print(page)
        return .done
    }

    /// The page, generated from the table of commands with the macros of man(7).
    private static var page: String {
        var lines = [
            ".\\\" Made by deskgate manual; a change belongs into the table of commands.",
            ".TH DESKGATE 1 \"\(date)\" \"deskgate \(Version.current)\" \"Deskgate\"", ".SH NAME",
            "deskgate \\- \(Roff.text(Help.subject))",
            ".SH SYNOPSIS", ".B deskgate", ".I COMMAND", "[\\fB\\-\\-option\\fR \\fIVALUE\\fR]...", ".br", ".B deskgate help",
            "[\\fICOMMAND\\fR]",
        ]
        lines += [".SH COMMANDS"]
        for command in CommandTable.commands { lines += section(on: command) }
        return (lines + environment + exits).joined(separator: "\n")
    }

    private static var date: Substring {
        let given = POSIX.Process.environment("SOURCE_DATE_EPOCH").flatMap { UInt64($0) }
        let moment = given.map { UnixSeconds(rawValue: min($0, RFC3339.latest)) } ?? Clocks.system.unixSeconds()
        return RFC3339.text(moment.milliseconds).prefix(10)
    }

    private static func section(on command: Command) -> [String] {
        var lines = [".SS \(Roff.text(command.name))"] + Roff.lines(Help.description(of: command))
        if let operand = command.operand {
            lines += [
                ".TP", ".I \(operand.value.placeholder)", Roff.text(operand.text + Help.note(on: operand.value, operand.fallback) + "."),
            ]
        }
        for option in command.options + [.help] {
            let value = option.value.map { " \\fI\($0.placeholder)\\fR" } ?? ""
            let rule = option.isRequired ? "; required" : option.isRepeatable ? "; repeatable" : ""
            lines += [".TP", "\\fB\(Roff.text("--\(option.name)"))\\fR\(value)"]
            lines += Roff.lines(option.text + Help.note(on: option.value, option.fallback) + "\(rule).")
        }
        for example in command.examples {
            lines += [".PP"] + Roff.lines(example.text) + [".PP", ".RS 4", ".nf", Roff.text(example.line), ".fi", ".RE"]
        }
        return lines
    }

    private static var environment: [String] {
        [
            ".SH ENVIRONMENT", ".TP", ".B \(ConfigurationFile.variable)",
            "The path of the configuration when \\fB\\-\\-config\\fR is not given.",
            ".SH FILES", ".TP", ".I \(ConfigurationFile.usual)", "The default configuration.",
        ]
    }

    private static var exits: [String] {
        [".SH EXIT STATUS"] + ExitCode.allCases.flatMap { [".TP", ".B \($0.rawValue)", Roff.text("\($0.meaning).")] }
    }
}

private enum Roff {
    private static let lineWidth = 78

    static func lines(_ text: String) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ").map({ Self.text(String($0)) }) {
            if let line = lines.last, line.utf8.count + 1 + word.utf8.count <= lineWidth {
                lines[lines.count - 1] = "\(line) \(word)"
            } else {
                lines.append(word)
            }
        }
        return lines
    }

    /// A text that roff prints literally: with escaped backslashes and hyphens, and never a request.
    static func text(_ text: String) -> String {
        let start = text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : ""
        return start + text.map { escapes[$0] ?? String($0) }.joined()
    }

    private static let escapes: [Character: String] = [
        "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "…": "...",
    ]
}
