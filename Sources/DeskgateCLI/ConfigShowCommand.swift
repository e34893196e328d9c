internal import AdminAPI
internal import Configuration
internal import JSON
internal import POSIX

/// `deskgate config show`
enum ConfigShowCommand {
    static let command = Command(
        "config show", "Shows every key of a configuration, and whether its value is the file's or the default.",
        details: "For a secret, shows the source; for an address with a path, only the host. --running and --diff query the running "
            + "service. For --diff, the service reads its file as for a reload, but changes nothing.",
        exits: [
            .negative: "with --diff, when the service and its file differ", .usage: "also when no service answers",
        ],
        options: [
            .config, Option("changed", "only the keys of the file"),
            Option("running", "the configuration in force in the running service, instead of the file"),
            Option("diff", "the differences between the service's file and its configuration in force, and how to apply them"), .json,
        ],
        examples: [
            Example("deskgate config show", "Shows the configuration that serve would use now."),
            Example("deskgate config show --diff", "Shows before a reload what it would change, and why it would be refused."),
            Example("deskgate config show --config new.json | diff <(deskgate config show) -", "Compares two configurations."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        guard arguments.has("diff") else {
            try show(arguments)
            return .done
        }
        for name in ["changed", "running"] where arguments.has(name) { throw .option(name, "does not go with --diff") }
        let service = try arguments.service().access
        let changes = try ask(ConfigurationChangesAction(), service)
        let status = try ask(StatusAction(), service)["configuration"]
        if let served = changes["file"]?.text, let named = try fileThatIsNotRead(arguments, served) {
            Console.complain("warning: \(named) is not compared; it says only where the service is, which reads \(served)")
        }
        let difference = ConfigurationReport(changes, status)
        Console.answer(arguments, json: difference.json, text: difference.text)
        return difference.isEmpty ? .done : .negative
    }

    /// Returns the configuration file that the command names, if it differs from the service's file; nil when they are equal or this is
    /// unknown.
    /// - Parameter served: the path with which the service was started.
    private static func fileThatIsNotRead(_ arguments: Arguments, _ served: String) throws(CommandError) -> String? {
        let named = try arguments.configurationFile()
        // A relative path refers to the service's working directory, which is unknown here.
        guard served != named, served.utf8.first == UInt8(ascii: "/") else { return nil }
        return (try? FileSystem.absolutePath(of: served)) == (try? FileSystem.absolutePath(of: named)) ? nil : named
    }

    private static func show(_ arguments: Arguments) throws(CommandError) {
        let (file, settings) = try settings(arguments)
        let shown =
            arguments.has("changed") ? settings.filter { $0["from"] != .string(ConfigurationSetting.Origin.standard.rawValue) } : settings
        Console.answer(
            arguments, json: ["file": .string(file), "settings": .array(shown)],
            text: AdminText.table(shown.map(row), [("KEY", "path"), ("FROM", "from"), ("VALUE", "value")]))
    }

    /// Returns the keys of the file or of the running service, and the file's name.
    private static func settings(_ arguments: Arguments) throws(CommandError) -> (file: String, settings: [JSONValue]) {
        guard arguments.has("running") else {
            return (try arguments.configurationFile(), try arguments.configuration().settings.map(\.json))
        }
        let answer = try ask(ShownConfigurationAction(), arguments.service().access)
        guard case .array(let files) = answer["files"], case .string(let file)? = files.first,
            case .array(let settings) = answer["settings"]
        else { throw .failed("this version of the service does not report its keys; update the service") }
        return (file, settings)
    }

    private static func ask(_ action: some AdminAction, _ service: AdminAccess) throws(CommandError) -> JSONObject {
        let answer = try explaining { () throws(AdminAccess.Failure) in try service.performInService(action) }
        guard answer.status == 200, case .object(let object) = answer.json else {
            throw .failed("the service answers \(answer.status): \(AdminText.text(answer.json["message"]))")
        }
        return object
    }

    private static func row(_ setting: JSONValue) -> JSONValue {
        ["path": setting["path"] ?? .null, "from": setting["from"] ?? .null, "value": .string(ConfigurationReport.text(setting["value"]))]
    }
}
