package import JSON

/// The JSON Schema of the configuration (draft 2020-12), generated from the lists of keys that the readers use.
///
/// The schema checks each value separately. Only `deskgate check` also checks combinations of values.
package enum ConfigurationSchema {
    package static var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("$schema", "https://json-schema.org/draft/2020-12/schema"), ("title", "The configuration of Deskgate"),
        ]
        members += object(ConfigurationReader.rootKeys).members.map { ($0.key, $0.value) }
        return .object(JSONObject(members + [("$defs", ["secret": secret, "secrets": secrets])]))
    }

    private static func object(_ keys: ConfigurationKeys) -> JSONObject {
        var object = JSONObject([("type", "object")])
        let named = keys.all.filter { !$0.isPlaceholder }
        if !named.isEmpty { object.append(.object(JSONObject(named.map { ($0.name, schema(of: $0)) })), forKey: "properties") }
        let required = named.filter(\.isRequired).map { JSONValue.string($0.name) }
        if !required.isEmpty { object.append(.array(required), forKey: "required") }
        object.append(keys.all.first(where: \.isPlaceholder).map(schema) ?? false, forKey: "additionalProperties")
        return object
    }

    private static func schema(of key: ConfigurationKey) -> JSONValue {
        var schema = schema(of: key.value)
        if let standard = key.value.standard { schema.append(standard, forKey: "default") }
        let description = [plain(key.meaning), change(of: key)].filter { !$0.isEmpty }.joined(separator: "; ")
        if !description.isEmpty { schema.append(.string(description), forKey: "description") }
        return .object(schema)
    }

    private static func change(of key: ConfigurationKey) -> String {
        switch key.change {
        case .live: ""
        case .restart: "a change needs a restart"
        case .onceSet: "setting it for the first time, or removing it, needs a restart"
        }
    }

    private static func schema(of value: ConfigurationValue) -> JSONObject {
        switch value {
        case .text, .path, .address: text
        case .textOrNull: JSONObject([("type", ["string", "null"]), ("minLength", 1)])
        case .secret: JSONObject([("$ref", "#/$defs/secret")])
        case .secrets: JSONObject([("$ref", "#/$defs/secrets")])
        // The value may be a secret or a plain text.
        case .textOrSecret: JSONObject([("$ref", "#/$defs/secret")])
        case .bool: JSONObject([("type", "boolean")])
        case .integer(let range, _):
            JSONObject([
                ("type", "integer"), ("minimum", .integer(Int64(range.lowerBound))), ("maximum", .integer(Int64(range.upperBound))),
            ])
        case .number(let range, _):
            JSONObject([("type", "number"), ("minimum", .real(range.lowerBound)), ("maximum", .real(range.upperBound))])
        case .word(let words, _): JSONObject([("type", "string"), ("enum", .array(words.map { .string($0) }))])
        case .texts: JSONObject([("type", "array"), ("items", .object(text))])
        case .object(let keys): object(keys)
        case .objects(let keys, _): JSONObject([("type", "array"), ("items", .object(object(keys)))])
        case .notifiers:
            JSONObject([
                ("type", "object"), ("additionalProperties", ["oneOf": .array(NotifierType.allCases.map { .object(object($0.keys)) })]),
            ])
        case .schema: JSONObject([("type", "object")])
        }
    }

    private static var text: JSONObject { JSONObject([("type", "string"), ("minLength", 1)]) }

    private static var secret: JSONValue {
        var source = object(SecretReader.keys)
        source.append(1, forKey: "minProperties")
        source.append(1, forKey: "maxProperties")
        return [
            "anyOf": [.object(source), .object(text)],
            "description": "the source of a secret; a literal secret requires allow_insecure_secrets",
        ]
    }

    private static var secrets: JSONValue {
        ["anyOf": [["$ref": "#/$defs/secret"], ["type": "array", "items": ["$ref": "#/$defs/secret"], "minItems": 1]]]
    }

    /// Removes the link addresses from Markdown.
    private static func plain(_ markdown: String) -> String {
        markdown.replacing(/\[([^\]]+)\]\([^)]+\)/) { $0.output.1 }
    }
}
