internal import AdminAPI
internal import Configuration
internal import JSON

/// The failure of a command. The constructors are its kinds: `usage` and `option` for a wrong command line, `configuration` for errors in
/// the file, `failed` for a failed operation, and `negative` for a negative answer.
struct CommandError: Error {
    let code: ExitCode
    let word: String
    let message: String
    /// The name of the wrong option, without dashes.
    private(set) var option: String?
    private(set) var problems: [ConfigurationProblem] = []

    private init(_ code: ExitCode, word: String, message: String) {
        self.code = code
        self.word = word
        self.message = message
    }

    /// The command line as a whole is invalid.
    static func usage(_ message: String) -> CommandError { CommandError(.usage, word: "usage", message: message) }

    /// One option is invalid; the message begins with its name.
    static func option(_ name: String, _ problem: String) -> CommandError {
        var error = usage("--\(name): \(problem)")
        error.option = name
        return error
    }

    /// The configuration is invalid.
    /// - Parameter remark: a line that follows the mistakes.
    static func configuration(_ error: ConfigurationError, remark: String? = nil) -> CommandError {
        var result = CommandError(.usage, word: "configuration", message: error.description + (remark.map { "\n\($0)" } ?? ""))
        result.problems = error.problems
        return result
    }

    /// An operator's action cannot be built from the options; its parameters are called by their names on the command line.
    static func problem(_ problem: AdminProblem, in command: Command) -> CommandError {
        let text = problem.text(naming: command.word)
        guard let field = problem.field else { return usage(text) }
        guard let option = command.option(for: field) else { return usage("\(command.word(for: field)): \(text)") }
        return .option(option.name, text)
    }

    /// The operation failed.
    static func failed(_ message: String) -> CommandError { CommandError(.usage, word: "failed", message: message) }

    /// The answer is negative.
    /// - Parameter word: the reason, for programs.
    static func negative(_ word: String, _ message: String) -> CommandError { CommandError(.negative, word: word, message: message) }

    /// The JSON of `--json`.
    var json: JSONValue {
        var object: JSONObject = ["error": .string(word), "message": .string(message)]
        if let option { object.append(.string("--\(option)"), forKey: "option") }
        if !problems.isEmpty { object.append(.array(problems.map(\.json)), forKey: "problems") }
        return .object(object)
    }

    /// The text for a person who ran `command`: with the option's help for an invalid value, with the usage for an invalid command line.
    func text(_ command: Command) -> String {
        switch word {
        case "configuration": return message
        case "usage":
            let shown = command.options.first { $0.name == option }.map(Help.row) ?? "usage: \(Help.usage(of: command))"
            return "deskgate: \(message)\n\(shown)"
        default: return "deskgate: \(message)"
        }
    }
}

/// Runs `work` and converts its error with `explain`, by default to a failure with the same text.
func explaining<Result, Failure: Error>(
    _ work: () throws(Failure) -> Result, as explain: (Failure) -> CommandError = { .failed("\($0)") }
) throws(CommandError) -> Result {
    do throws(Failure) {
        return try work()
    } catch {
        throw explain(error)
    }
}

extension ConfigurationProblem {
    /// The JSON of `--json`.
    var json: JSONValue {
        var object: JSONObject = ["path": .string(path), "message": .string(message)]
        if let place {
            object.append(.integer(Int64(place.line)), forKey: "line")
            object.append(.integer(Int64(place.column)), forKey: "column")
        }
        return .object(object)
    }
}
