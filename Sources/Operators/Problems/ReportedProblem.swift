package import JSON

/// A problem as an answer of `GET /v1/status` reports it, for commands.
package struct ReportedProblem {
    /// Whether something does not work; otherwise it works, and will not for ever.
    package let isSevere: Bool
    /// What it is about; nil when it is the whole service.
    package let subject: String?
    /// What is wrong, in sentences.
    package let text: String
    /// What to do, in sentences.
    package let remedy: String

    private init(_ problem: JSONValue) {
        isSevere = problem["severity"]?.text == Problem.Severity.problem.rawValue
        subject = problem["subject"]?.text
        text = problem["text"]?.text ?? ""
        remedy = problem["remedy"]?.text ?? ""
    }

    /// The problems of an answer, the urgent first.
    package static func all(in status: JSONObject) -> [ReportedProblem] {
        (status[ProblemSearch.members[0]]?.elements ?? []).map { ReportedProblem($0) }
    }
}
