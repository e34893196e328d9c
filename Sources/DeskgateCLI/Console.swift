internal import JSON
internal import POSIX

/// The output of commands: results on standard output, everything else on standard error.
enum Console {
    /// Prints a result: with `--json` as one JSON object, else as text for people.
    static func answer(_ arguments: Arguments, json: @autoclosure () -> JSONValue, text: @autoclosure () -> String) {
        arguments.has(Option.json.name) ? print(json()) : print(text())
    }

    /// Prints a result. If that fails, ends the process, because a result that was not delivered is no success.
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
        // If the terminal is gone, the failure cannot be reported.
        try? File.write(line(text), to: 2)
    }

    /// A color of a terminal, by its code (ECMA-48).
    enum Color: Int {
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// A word in a color when the result goes to a terminal that takes it, and NO_COLOR (no-color.org) does not forbid it.
    static func painted(_ word: String, _ color: Color) -> String {
        hasColors ? "\u{1B}[\(color.rawValue)m\(word)\u{1B}[0m" : word
    }

    private static let hasColors: Bool = {
        let (forbidden, terminal) = (POSIX.Process.environment("NO_COLOR"), POSIX.Process.environment("TERM"))
        return Machine.isTerminal(1) && (forbidden ?? "").isEmpty && terminal != nil && terminal != "dumb"
    }()

    /// Text from strangers without the control characters that a terminal would obey; the ends of lines stay.
    static func printable(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0 != "\n" && $0.properties.generalCategory == .control ? " " : $0 }))
    }

    /// Words of the command line for an error message. Long ones are omitted, because they may be misplaced security keys.
    static func mention(_ words: some Sequence<String>) -> String {
        let shown = words.filter { (1...16).contains($0.utf8.count) }
        return shown.isEmpty ? "" : ": \(shown.joined(separator: " "))"
    }

    private static func line(_ text: String) -> [UInt8] {
        Array("\(text)\n".utf8)
    }
}
