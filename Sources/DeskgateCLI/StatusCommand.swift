internal import JSON
internal import Operators
internal import Service

/// `deskgate status`
enum StatusCommand: Command {
    static let name = "status"
    static let summary = "Tells whether the service can do its work, and which notifiers are switched off: exit 1 when it is not ready."
    static let options = [Option.config, Option.json]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        try AdminRun.perform(StatusAction(), arguments, verdict: { isReady($0) ? .done : .negative }, sentences)
    }

    private static func isReady(_ status: JSONObject) -> Bool { status["status"] == "ready" }

    private static func sentences(_ status: JSONObject) -> String {
        var sentences = [isReady(status) ? "Deskgate \(AdminText.text(status["version"])) is ready." : "Deskgate is not ready."]
        if case .array(let reasons) = status["reasons"] { sentences += reasons.map { "Reason: \(AdminText.text($0))." } }
        if case .object(let paused) = status["paused"] {
            for member in paused.members {
                guard case .object(let why) = member.value else { continue }
                sentences.append(
                    "The notifier \(member.key) is switched off (\(AdminText.text(why["reason"]))): \(AdminText.text(why["remedy"])).")
            }
        }
        return sentences.joined(separator: "\n")
    }
}
