internal import Core
package import JSON

/// A problem as an answer of `GET /v1/status` reports it, for commands.
package struct ReportedProblem {
    /// Whether something fails now; otherwise it works, but will fail.
    package let isSevere: Bool
    /// Whether it is only a warning about the configuration.
    package let isInConfiguration: Bool
    /// Whether it means that the store cannot be used.
    package let isInStore: Bool
    package let text: String
    package let remedy: String

    /// Describes how to start a service that does not run.
    /// - Parameter start: the command, or several to choose from.
    package static func remedy(startingBy start: String) -> String {
        "Start it: \(start). If it does not start, deskgate check and its log say why."
    }

    /// Describes that other keys are in force than those of the configuration file, as a command has read it.
    /// - Parameter process: the serving process, such as `the service`.
    package static func otherKeys(in process: String) -> String {
        "The keys in force in \(process) are not those of the configuration file: \(LocalizedText.reload.english) there. A secret of the environment, "
            + "which may be another one in this shell, or of a systemd credential changes with a restart only."
    }

    private init(_ problem: JSONValue) {
        isSevere = problem["severity"]?.text == Problem.Severity.problem.rawValue
        isInConfiguration = problem["kind"]?.text == Problem.Kind.configurationWarning.rawValue
        isInStore = problem["kind"]?.text == Problem.Kind.store.rawValue
        text = problem["text"]?.text ?? ""
        remedy = problem["remedy"]?.text ?? ""
    }

    /// The problems in an answer, urgent ones first.
    package static func all(in status: JSONObject) -> [ReportedProblem] {
        (status[ProblemSearch.members[0]]?.elements ?? []).map { ReportedProblem($0) }
    }
}
