internal import JSON
internal import Operators
internal import Service

/// Asks something of the store, and says the answer.
enum AdminRun {
    /// Does the action and prints the answer, as it is or as `text` tells it to people.
    /// - Parameter verdict: how the command ends when the action was done.
    static func perform(
        _ action: some AdminAction, _ arguments: Arguments, verdict: (JSONObject) -> ExitCode = { _ in .done },
        _ text: (JSONObject) -> String
    ) throws(CommandError) -> ExitCode {
        let configuration = try ConfiguredCommand.configuration(arguments)
        do throws(AdminAccess.Failure) {
            let answer = try AdminAccess(configuration).perform(action, remark: Console.complain)
            return say(answer, arguments, verdict, text)
        } catch {
            throw .failed(error.description)
        }
    }

    private static func say(
        _ answer: AdminAnswer, _ arguments: Arguments, _ verdict: (JSONObject) -> ExitCode, _ text: (JSONObject) -> String
    ) -> ExitCode {
        guard case .object(let object) = answer.json else { preconditionFailure("every answer is an object") }
        if arguments.has("json") {
            Console.print(answer.json)
        } else if answer.status == 200 {
            Console.print(text(object))
        } else {
            Console.complain(AdminText.text(object["message"]))
        }
        switch answer.status {
        case 200: return verdict(object)
        case 404, 409: return .negative
        default: return .usage
        }
    }
}
