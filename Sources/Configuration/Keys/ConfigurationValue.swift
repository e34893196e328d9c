internal import JSON

/// The values that a key of the configuration may have, with their range and the default.
indirect enum ConfigurationValue: Sendable {
    /// A text that is not empty.
    case text(default: String? = nil)
    /// The same, or null for none.
    case textOrNull(default: String)
    case path(default: String? = nil)
    case address(default: String? = nil)
    case secret
    /// The same, or a list of several during a rotation.
    case secrets
    /// A text, or where a secret comes from.
    case textOrSecret
    case bool(default: Bool)
    case integer(ClosedRange<Int>, default: Int? = nil)
    case number(ClosedRange<Double>, default: Double)
    case word([String], default: String? = nil)
    case texts(default: [String]? = nil)
    case object(ConfigurationKeys)
    case objects(ConfigurationKeys, default: JSONValue? = nil)
    /// Objects under names of the operator's own, each with the keys of its type.
    case notifiers
    case schema(default: JSONValue)

    static func word<Words: CaseIterable & RawRepresentable<String>>(of type: Words.Type, default word: Words? = nil) -> Self {
        .word(type.allCases.map(\.rawValue), default: word?.rawValue)
    }

    /// The value without the key; nil for none, and where other keys decide.
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

    /// The type, as docs/CONFIGURATION.md calls it.
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

    /// The form of a list of such values; nil for other values.
    var listForm: String? {
        switch self {
        case .texts: return "[\"…\"]"
        case .objects(let keys, _):
            let required = keys.all.filter(\.isRequired)
            return "[{\((required.isEmpty ? keys.all : required).map { "\"\($0.name)\": …" }.joined(separator: ", "))}]"
        default: return nil
        }
    }

    /// The keys of the object, or of each object of the list; empty for other values.
    var keys: ConfigurationKeys {
        switch self {
        case .object(let keys), .objects(let keys, _): keys
        default: []
        }
    }
}

extension ConfigurationKeys {
    // The readers name only keys that their list has, with values of its type; each reading of docs/config.full.json proves it.

    func range(of name: String) -> ClosedRange<Int> {
        guard case .integer(let range, _) = value(of: name) else { preconditionFailure("\(name) is no integer") }
        return range
    }

    /// The default of a key that has one.
    func standard(of name: String) -> JSONValue {
        guard let value = value(of: name).standard else { preconditionFailure("\(name) has no default") }
        return value
    }
}
