internal import JSON
internal import Service

/// Asks for deliveries, and says the answer.
enum DeliveriesRun {
    /// Does the action and prints the answer, as it is or as `text` tells it to people.
    static func perform(_ action: DeliveryAction, _ arguments: Arguments, _ text: (JSONObject) -> String) -> ExitCode {
        guard let configuration = ConfiguredCommand.configuration(arguments) else { return .usage }
        do throws(DeliveryAccess.Failure) {
            let answer = try DeliveryAccess(configuration).perform(action)
            return say(answer, arguments, text)
        } catch {
            Console.complain(error.description)
            return .usage
        }
    }

    private static func say(_ answer: DeliveryAnswer, _ arguments: Arguments, _ text: (JSONObject) -> String) -> ExitCode {
        guard case .object(let object) = answer.json else { preconditionFailure("every answer is an object") }
        if arguments.has("json") {
            Console.print(answer.json)
        } else if answer.status == 200 {
            Console.print(text(object))
        } else {
            Console.complain(DeliveriesText.text(object["message"]))
        }
        switch answer.status {
        case 200: return .done
        case 404, 409: return .negative
        default: return .usage
        }
    }
}
