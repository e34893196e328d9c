internal import Configuration
internal import JSON

/// `deskgate config schema`
enum ConfigSchemaCommand {
    static let command = Command(
        "config schema", "Prints a JSON Schema of the configuration, for editors.",
        details: "It is of draft 2020-12. It says what each value alone may be; deskgate check also says what values together must be.",
        options: [],
        examples: [
            Example(
                "deskgate config schema >config.schema.json", "Editors find it by \"$schema\": \"config.schema.json\" in the configuration."
            )
        ]
    ) { _ in
        Console.print(String(decoding: ConfigurationSchema.json.serialized(pretty: true), as: UTF8.self))
        return .done
    }
}
