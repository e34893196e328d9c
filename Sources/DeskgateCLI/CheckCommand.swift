internal import HTTPServer
internal import JSON
internal import Service

/// `deskgate check`
enum CheckCommand: Command {
    static let name = "check"
    static let summary = "Reads the configuration and tells every mistake at once: exit 0 when there is none, 2 otherwise."
    static let options = [Option.config, Option.json]

    static func run(_ arguments: Arguments) -> ExitCode {
        let file = arguments.required("config")
        do throws(ConfigurationError) {
            let configuration = try Configuration(contentsOf: file)
            arguments.has("json") ? Console.print(summary(of: configuration)) : Console.print(sentence(about: configuration, file: file))
            return .done
        } catch {
            arguments.has("json") ? Console.print(problems(of: error)) : Console.remark(error.description)
            return .usage
        }
    }

    private static func sentence(about configuration: Configuration, file: String) -> String {
        let apps = configuration.apps.count == 1 ? "1 app" : "\(configuration.apps.count) apps"
        return "\(file) is right: \(apps), public on \(configuration.listen.address), admin on \(configuration.admin.listener.address)"
    }

    private static func summary(of configuration: Configuration) -> JSONValue {
        [
            "status": "valid", "public": .string(configuration.listen.address.description),
            "admin": .string(configuration.admin.listener.address.description),
            "apps": .array(configuration.apps.map { .string($0.id) }), "problems": [],
        ]
    }

    private static func problems(of error: ConfigurationError) -> JSONValue {
        [
            "status": "invalid",
            "problems": .array(error.problems.map { ["path": .string($0.path), "message": .string($0.message)] }),
        ]
    }
}
