internal import Configuration
internal import JSON

/// `deskgate config show`
enum ConfigShowCommand {
    static let command = Command(
        "config show", "Shows every key that is in force with a configuration, and whether its value is the file's or the default.",
        details: "Of a secret it shows where it comes from, of an address with a path only the host.",
        options: [.config, Option("changed", "only the keys of the file"), .json],
        examples: [
            Example("deskgate config show", "Shows what serve would take over now."),
            Example("deskgate config show --config new.json | diff <(deskgate config show) -", "Compares two configurations."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let file = try arguments.configurationFile()
        var settings = try explaining(
            { () throws(ConfigurationError) in try Configuration.settings(contentsOf: file) }, as: CommandError.configuration)
        if arguments.has("changed") { settings.removeAll { $0.origin == .standard } }
        Console.answer(
            arguments, ["file": .string(file), "settings": .array(settings.map(json))],
            AdminText.table(settings.map(row), [("KEY", "path"), ("FROM", "from"), ("VALUE", "value")]))
        return .done
    }

    private static func json(_ setting: ConfigurationSetting) -> JSONValue {
        ["path": .string(setting.path), "value": setting.value, "from": .string(setting.origin.rawValue)]
    }

    private static func row(_ setting: ConfigurationSetting) -> JSONValue {
        [
            "path": .string(setting.path), "from": .string(setting.origin.rawValue),
            "value": .string(String(decoding: setting.value.serialized(), as: UTF8.self)),
        ]
    }
}
