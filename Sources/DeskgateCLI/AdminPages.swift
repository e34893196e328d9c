internal import JSON
internal import Operators
internal import Service

/// Asks for a list: one page of it, or all of them.
enum AdminPages {
    static let options = [
        Option("limit", value: "N", default: "100, with --all 1000", "how many a page, at most 1000"),
        Option("after", value: "CURSOR", "go on where an earlier list has ended"),
        Option("all", "every page; with --json one object a page"),
    ]

    /// Prints the list, and where it goes on when that is not all.
    /// - Parameters:
    ///   - question: the question for a page of so many entries after a place.
    ///   - text: a page for people.
    static func perform(
        _ arguments: Arguments, _ question: (_ after: String?, _ limit: Int?) throws(CommandError) -> some AdminAction,
        _ text: (JSONObject) -> String
    ) throws(CommandError) -> ExitCode {
        let isWhole = arguments.has("all")
        let given = try arguments.number("limit", in: 1...UInt64(AdminAnswer.largestLimit)).map { Int($0) }
        var after = arguments["after"]
        while true {
            var next: String?
            let code = try AdminRun.perform(
                try question(after, given ?? (isWhole ? AdminAnswer.largestLimit : nil)), arguments,
                verdict: { answer in
                    if case .string(let cursor) = answer["next"] { next = cursor }
                    return .done
                },
                { answer in
                    guard case .string(let cursor) = answer["next"], !isWhole else { return text(answer) }
                    return "\(text(answer))\nThere are more: --after \(cursor), or --all"
                })
            guard isWhole, code == .done, let next else { return code }
            after = next
        }
    }
}
