internal import JSON
internal import Service

/// `deskgate health`
enum HealthCommand: Command {
    static let name = "health"
    static let summary = "Asks the running service whether it answers, as a container's health check does: exit 1 when it does not."
    static let options = [
        Option.config, Option("ready", "whether it can store webhooks and registrations, too"), Option.json,
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let configuration = try ConfiguredCommand.configuration(arguments)
        let isReady = arguments.has("ready")
        do throws(HealthProbe.Failure) {
            let isWell = try HealthProbe(configuration).ask(isReady: isReady)
            let word = isReady ? (isWell ? "ready" : "not_ready") : (isWell ? "alive" : "not_alive")
            arguments.has("json") ? Console.print(["status": .string(word)]) : Console.print(word)
            return isWell ? .done : .negative
        } catch {
            throw .negative("unreachable", error.description)
        }
    }
}
