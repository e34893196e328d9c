internal import Configuration
internal import Core
internal import JSON
internal import Operators
internal import Service
internal import Time

/// `deskgate key mint`
enum KeyMintCommand: Command {
    static let name = "key mint"
    static let summary = "Makes a security key for a user and prints it."
    static let options = [
        Option.config,
        Option("app", value: "ID", required: true, "the app_id"),
        Option("user", value: "ID", required: true, "the user_id"),
        Option(
            "ttl", value: "TIME", default: "as configured, 30d",
            "how long it lives: seconds, or a number with s, m, h or d; 0 or never is for ever"),
        Option("key-id", value: "N", default: "the largest id", "which of the app's keys makes it"),
        Option.json,
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let life = try arguments["ttl"].map { text throws(CommandError) in try Duration.seconds(text, option: "ttl") }
        let keyID = try arguments.number("key-id", in: 0...UInt64(UInt32.max)).map { UInt32($0) }
        let configuration = try ConfiguredCommand.configuration(arguments)
        let authorizer = try ConfiguredCommand.authorizer(configuration)
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
            throw explain(error, configuration)
        }
    }

    /// Says which option made the key impossible.
    private static func explain(_ refusal: KeyMinting.Refusal, _ configuration: Configuration) -> CommandError {
        switch refusal {
        case .malformed(let malformation): .option(malformation.field == .appID ? "app" : "user", malformation.description)
        case .unknownApp:
            .option(
                "app",
                "no app with this app_id is configured; configured: \(configuration.apps.map { visible($0.id) }.joined(separator: ", "))")
        case .unknownKey: .option("key-id", refusal.description)
        case .lifeTooLong, .endTooFar: .option("ttl", refusal.description)
        case .failed: .failed(refusal.description)
        }
    }

    private static func visible(_ text: String) -> String { AdminText.text(.string(text)) }
}
