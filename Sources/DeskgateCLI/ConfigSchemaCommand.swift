internal import Configuration
internal import JSON

/// `deskgate config schema`
enum ConfigSchemaCommand {
    static let command = Command(
        "config schema", "Prints a JSON Schema of the configuration, for editors.",
        details: "The schema uses draft 2020-12. It restricts single values; deskgate check also checks their combinations.",
        options: [.json],
        examples: [
            Example(
                "deskgate config schema >config.schema.json",
                "Editors find the schema by \"$schema\": \"config.schema.json\" in the configuration."
            )
        ]
    ) { arguments in
        let schema = ConfigurationSchema.json
        Console.answer(arguments, json: schema, text: String(decoding: schema.serialized(pretty: true), as: UTF8.self))
        return .done
    }
}
