internal import Core
internal import Service

/// `deskgate key mint`
enum KeyMintCommand: Command {
    static let name = "key mint"
    static let summary = "Makes a security key for a user and prints it."
    static let options = [
        Option.config,
        Option("app", value: "ID", required: true, "the app_id"),
        Option("user", value: "ID", required: true, "the user_id"),
        Option("ttl", value: "TIME", "how long it lives: seconds, or a number with s, m, h or d, or never; default: as configured, 30d"),
        Option("key-id", value: "N", "which of the app's keys makes it; default: the largest id"),
        Option.json,
    ]

    static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
        let life = try arguments["ttl"].map { text throws(UsageError) in try Duration.seconds(text, option: "ttl") }
        let keyID = try arguments.number("key-id", in: 0...UInt64(UInt32.max)).map { UInt32($0) }
        guard let configuration = ConfiguredCommand.configuration(arguments),
            let authorizer = ConfiguredCommand.authorizer(configuration)
        else { return .usage }
        do throws(KeyMinting.Refusal) {
            let minted = try KeyMinting(authorizer, defaultLifeSeconds: configuration.defaultLifeSeconds).mint(
                appID: arguments.required("app"), userID: arguments.required("user"), keyID: keyID, lifeSeconds: life,
                now: Clocks.system.unixSeconds())
            if arguments.has("json") {
                Console.print(minted.json)
            } else {
                Console.print(minted.securityKey)
            }
            return .done
        } catch {
            Console.complain(error.description)
            return .usage
        }
    }
}
