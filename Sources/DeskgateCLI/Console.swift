internal import JSON
internal import POSIX

/// The output of commands: results on standard output, everything else on standard error.
enum Console {
    /// Prints a result: with `--json` as one JSON object, otherwise as text.
    static func answer(_ arguments: Arguments, json: @autoclosure () -> JSONValue, text: @autoclosure () -> String) {
        arguments.has(Option.json.name) ? print(json()) : print(text())
    }

    /// Prints a result. If printing fails, ends the process with an error, because the result was not delivered.
    static func print(_ text: String) {
        print(line: line(text))
    }

    /// Prints a result as one compact JSON object.
    static func print(_ json: JSONValue) {
        print(line: json.serialized() + [UInt8(ascii: "\n")])
    }

    private static func print(line: [UInt8]) {
        do throws(SystemError) {
            try File.write(line, to: 1)
        } catch {
            complain("cannot write the result: \(error)")
            POSIX.Process.exit(ExitCode.usage.rawValue)
        }
    }

    static func complain(_ text: String) {
        remark("deskgate: \(text)")
    }

    static func remark(_ text: String) {
        // If the terminal is closed, the failure cannot be reported.
        try? File.write(line(text), to: 2)
    }

    /// A terminal color with its ECMA-48 code.
    enum Color: Int {
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// Colors a word if standard output is a terminal with color support and NO_COLOR (no-color.org) is not set.
    static func painted(_ word: String, _ color: Color) -> String {
        hasColors ? "\u{1B}[\(color.rawValue)m\(word)\u{1B}[0m" : word
    }

    private static let hasColors: Bool = {
        let (forbidden, terminal) = (POSIX.Process.environment("NO_COLOR"), POSIX.Process.environment("TERM"))
        return Machine.isTerminal(1) && (forbidden ?? "").isEmpty && terminal != nil && terminal != "dumb"
    }()

    /// Replaces control characters in untrusted text, which a terminal would execute, with spaces. Line breaks are kept.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0 != "\n" && $0.properties.generalCategory == .control ? " " : $0 }))
    }

    /// Returns words of the command line for an error message. Omits long words, because they may be misplaced security keys.
    static func mention(_ words: some Sequence<String>) -> String {
        let shown = words.filter { (1...16).contains($0.utf8.count) }
        return shown.isEmpty ? "" : ": \(shown.joined(separator: " "))"
    }

    private static func line(_ text: String) -> [UInt8] {
        Array("\(text)\n".utf8)
    }
}
