internal import Configuration
internal import JSON
internal import Operators

/// Why a command did not do what it was asked. The constructors are the kinds that there are: `usage` and `option` for what the person typed,
/// `configuration` for errors in the file, `failed` for what could not be done, and `negative` for an answer that is no.
struct CommandError: Error {
    /// How the command ends.
    let code: ExitCode
    /// One word for machines.
    let word: String
    /// What happened, and the remedy.
    let message: String
    /// The name of the option that is meant, without its dashes.
    private(set) var option: String?
    /// The errors in the configuration.
    private(set) var problems: [ConfigurationProblem] = []

    private init(_ code: ExitCode, _ word: String, _ message: String) {
        self.code = code
        self.word = word
        self.message = message
    }

    /// The command line as a whole is wrong.
    static func usage(_ message: String) -> CommandError { CommandError(.usage, "usage", message) }

    /// One option is wrong; the message begins with its name.
    static func option(_ name: String, _ problem: String) -> CommandError {
        var error = usage("--\(name): \(problem)")
        error.option = name
        return error
    }

    /// The configuration is wrong.
    static func configuration(_ error: ConfigurationError) -> CommandError {
        var result = CommandError(.usage, "configuration", error.description)
        result.problems = error.problems
        return result
    }

    /// An operator's action cannot be made of what was typed; a field of requests is named by the option that stands for it.
    static func problem(_ problem: AdminProblem, in command: Command) -> CommandError {
        guard let field = problem.field, let option = command.options.first(where: { $0.field == field }) else {
            return usage(problem.message)
        }
        return .option(option.name, problem.problem)
    }

    /// What was asked could not be done.
    static func failed(_ message: String) -> CommandError { CommandError(.usage, "failed", message) }

    /// The answer is no.
    /// - Parameter word: the reason for machines.
    static func negative(_ word: String, _ message: String) -> CommandError { CommandError(.negative, word, message) }

    /// For machines.
    var json: JSONValue {
        var object: JSONObject = ["error": .string(word), "message": .string(message)]
        if let option { object.append(.string("--\(option)"), forKey: "option") }
        if !problems.isEmpty { object.append(.array(problems.map(\.json)), forKey: "problems") }
        return .object(object)
    }

    /// For people, who called `command`: a wrong value shows its option, and what is wrong with the line as a whole shows how it is used.
    func text(_ command: Command) -> String {
        switch word {
        case "configuration": return message
        case "usage":
            let shown = command.options.first { $0.name == option }.map(Help.row) ?? "usage: \(Help.usage(of: command))"
            return "deskgate: \(message)\n\n\(shown)\n\nMore: deskgate \(command.name) --help"
        default: return "deskgate: \(message)"
        }
    }
}

/// Does `work`; what it throws becomes the error that `explain` makes of it, by default a failure in the same words.
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
    /// For machines.
    var json: JSONValue {
        var object: JSONObject = ["path": .string(path), "message": .string(message)]
        if let place {
            object.append(.integer(Int64(place.line)), forKey: "line")
            object.append(.integer(Int64(place.column)), forKey: "column")
        }
        return .object(object)
    }
}
