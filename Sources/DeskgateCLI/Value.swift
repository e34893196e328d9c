internal import Configuration

/// The kind of value of an option or operand. The parser rejects other values, and completions offer the valid ones.
enum Value: Sendable {
    case app
    case notifier
    /// Any other text; the command, or the admin action that it runs, checks it.
    case text(_ placeholder: String)
    /// A secret text: `-` reads it from standard input.
    case secret(_ placeholder: String)
    case file
    case directory
    case number(ClosedRange<UInt64>, _ placeholder: String = "N")
    /// A lifetime, as `Duration` parses it.
    case lifetime
    /// An RFC 3339 time, which the admin action parses.
    case time
    case choice([String], _ placeholder: String)

    /// The placeholder of a number that is a time in seconds since 1970.
    static let moment = "UNIX"

    var placeholder: String {
        switch self {
        case .text(let placeholder), .secret(let placeholder), .number(_, let placeholder), .choice(_, let placeholder): placeholder
        case .app: "ID"
        case .notifier: "NAME"
        case .file: "FILE"
        case .directory: "DIR"
        case .lifetime, .time: "TIME"
        }
    }

    /// Whether the value may be read from standard input.
    var isSecret: Bool { if case .secret = self { true } else { false } }

    /// Whether the value is the path of a file or directory, which messages may repeat.
    var isPath: Bool {
        switch self {
        case .file, .directory: true
        default: false
        }
    }

    /// Returns the reason why a text is not such a value; nil when it is.
    func problem(of text: String) -> String? {
        switch self {
        case .file, .directory: text.isEmpty ? "is empty; name a \(placeholder == "DIR" ? "directory" : "file")" : nil
        case .app, .notifier, .text, .secret, .time: nil
        case .number(let range, let placeholder):
            UInt64(text).map(range.contains) == true
                ? nil
                : "expected a number from \(range.lowerBound) to \(range.upperBound)"
                    + (placeholder == Self.moment ? "; \(WrongInteger.remedy(ofMoment: text, in: range))" : "")
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
