internal import JSON
internal import Service

/// `deskgate version`
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "Prints the version."
    static let options = [Option.json]

    static func run(_ arguments: Arguments) -> ExitCode {
        if arguments.has("json") {
            Console.print(["version": .string(Version.current)])
        } else {
            Console.print("deskgate \(Version.current)")
        }
        return .done
    }
}
