internal import JSON

/// The allowed values of a configuration key, with their range and default.
indirect enum ConfigurationValue: Sendable {
    /// A text that must not be empty.
    case text(default: String? = nil)
    /// A text that must not be empty, or null for none.
    case textOrNull(default: String)
    case path(default: String? = nil)
    case address(default: String? = nil)
    case secret
    /// A secret, or a list of secrets during a rotation.
    case secrets
    /// A text, or the source of a secret.
    case textOrSecret
    case bool(default: Bool)
    case integer(ClosedRange<Int>, default: Int? = nil)
    case number(ClosedRange<Double>, default: Double)
    case word([String], default: String? = nil)
    case texts(default: [String]? = nil)
    case object(ConfigurationKeys)
    case objects(ConfigurationKeys, default: JSONValue? = nil)
    /// Objects with names that the operator chooses. Each object has the keys of its type.
    case notifiers
    case schema(default: JSONValue)

    static func word<Words: CaseIterable & RawRepresentable<String>>(of type: Words.Type, default word: Words? = nil) -> Self {
        .word(type.allCases.map(\.rawValue), default: word?.rawValue)
    }

    /// The value when the key is missing; nil when there is none, or it depends on other keys.
    var standard: JSONValue? {
        switch self {
        case .text(let text), .path(let text), .address(let text), .word(_, let text): text.map { .string($0) }
        case .textOrNull(let text): .string(text)
        case .bool(let bool): .bool(bool)
        case .integer(_, let integer): integer.map { .integer(Int64($0)) }
        case .number(_, let number): .real(number)
        case .texts(let texts): texts.map { .array($0.map { .string($0) }) }
        case .objects(_, let list): list
        case .schema(let schema): schema
        case .secret, .secrets, .textOrSecret, .object, .notifiers: nil
        }
    }

    /// The name of the type in docs/CONFIGURATION.md.
    var type: String {
        switch self {
        case .text, .textOrNull, .word: "text"
        case .path: "path"
        case .address: "address"
        case .secret: "secret"
        case .secrets: "secrets"
        case .textOrSecret: "text or secret"
        case .bool: "boolean"
        case .integer(let range, _): "integer, \(range.lowerBound) to \(range.upperBound)"
        case .number(let range, _): "number, \(Int(range.lowerBound)) to \(Int(range.upperBound))"
        case .texts: "list of text"
        case .object, .notifiers, .schema: "object"
        case .objects: "list of objects"
        }
    }

    /// The notation for a list of such values; nil for other values.
    var listForm: String? {
        switch self {
        case .texts: return "[\"…\"]"
        case .objects(let keys, _):
            let required = keys.all.filter(\.isRequired)
            return "[{\((required.isEmpty ? keys.all : required).map { "\"\($0.name)\": …" }.joined(separator: ", "))}]"
        default: return nil
        }
    }

    /// The keys of the object, or of each object in the list; empty for other values.
    var keys: ConfigurationKeys {
        switch self {
        case .object(let keys), .objects(let keys, _): keys
        default: []
        }
    }
}

extension ConfigurationKeys {
    // The readers must use only keys of their list, with the correct type. Each reading of docs/config.full.json checks this.

    func range(of name: String) -> ClosedRange<Int> {
        guard case .integer(let range, _) = value(of: name) else { preconditionFailure("\(name) is not an integer") }
        return range
    }

    /// Returns the default of a key, which must have one.
    func standard(of name: String) -> JSONValue {
        guard let value = value(of: name).standard else { preconditionFailure("\(name) has no default") }
        return value
    }
}
