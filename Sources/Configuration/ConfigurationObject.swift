internal import JSON
internal import Time

/// Collects the results of reading a configuration: all mistakes, so that they are reported together, the values that cannot change without
/// a restart, and the files.
final class ConfigurationFindings {
    private(set) var all: [ConfigurationProblem] = []
    var fixed: [FixedValue] = []
    var sources = ConfigurationSources()
    /// The SHA-256 of the configuration's file, in hexadecimal.
    var fileDigest = ""
    var hidden = HiddenTexts()
    var settings = ConfigurationSettings()

    func add(_ path: String, _ message: String, at place: JSONPlace? = nil) {
        all.append(ConfigurationProblem(path: path, message: message, place: place))
    }
}

/// The value of a key that only a restart can change, as text.
struct FixedValue: Sendable, Hashable {
    let path, value: String
}

/// An object of the configuration with its path. Each reader records mistakes and continues with the default.
struct ConfigurationObject {
    let path: String
    let problems: ConfigurationFindings
    private let keys: ConfigurationKeys
    private let members: JSONObject

    /// Creates the reader of a value, which must be an object that contains no keys except `keys`.
    init?(_ value: JSONValue, path: String, keys: ConfigurationKeys, problems: ConfigurationFindings) {
        guard case .object(let members) = value else {
            // A Boolean is probably meant to enable or disable the feature.
            let remedy = value == true ? "; write {} for its defaults" : value == false ? "; leave the key out" : ""
            problems.add(path, "expected an object, found \(value.kind)\(path == "$" ? "" : remedy)")
            return nil
        }
        // Removes other members: a reader may share code with a reader whose list has more keys, and must not read members that its own
        // list lacks.
        var known = JSONObject()
        for member in members.members {
            if keys.names.contains(where: { $0.utf8.elementsEqual(member.key.utf8) }) {
                known.append(member.value, forKey: member.key)
            } else {
                // Notifiers are excluded, because only the readers of their types can determine to which type an unknown key belongs.
                let places = path.hasPrefix("$.notifiers.") ? [] : UnknownKey.places(of: member.key)
                problems.add("\(path).\(printable(member.key))", UnknownKey.message(member.key, known: keys.names, places: places))
            }
        }
        self.init(known, path: path, keys: keys, problems: problems)
    }

    private init(_ members: JSONObject, path: String, keys: ConfigurationKeys, problems: ConfigurationFindings) {
        self.path = path
        self.problems = problems
        self.keys = keys
        self.members = members
        for key in keys.fixed { _ = inForce(key, members[key]) }
        for key in keys.names { if let value = members[key] { problems.settings.note(self.path(of: key), value: value, origin: .file) } }
    }

    /// Records the default of a key that the file does not contain.
    /// - Returns: the default.
    func standard<Value>(_ key: String, _ value: Value, as json: (Value) -> JSONValue) -> Value {
        if members[key] == nil { problems.settings.note(path(of: key), value: json(value), origin: .standard) }
        return value
    }

    /// Records a default text that is not in the list of keys.
    func standard(_ key: String, _ text: String) -> String { standard(key, text) { .string($0) } }

    func standard(_ key: String) -> String { standard(key, defaultText(key)) }

    /// Records the default of a list of texts.
    func standardTexts(_ key: String) -> [String] {
        standard(key, keys.standard(of: key)) { $0 }.elements.compactMap(\.text)
    }

    /// Returns the default of a text, before any conversion.
    func defaultText(_ key: String) -> String { keys.standard(of: key).text ?? "" }

    /// Records the effective value of a key that only a restart can change. Otherwise the value is recorded as written.
    func inForce<Value>(_ key: String, _ value: Value) -> Value {
        guard keys.fixed.contains(key) else { return value }
        problems.fixed.removeAll { $0.path == path(of: key) }
        problems.fixed.append(FixedValue(path: path(of: key), value: "\(value)"))
        return value
    }

    func path(of key: String) -> String { "\(path).\(key)" }

    func value(_ key: String) -> JSONValue? { members[key] }

    /// Reads an object. Records only the presence of its key, because the keys in the object are recorded separately.
    func object(_ key: String, keys: ConfigurationKeys) -> ConfigurationObject? {
        _ = inForce(key, members[key] != nil)
        return members[key].flatMap { ConfigurationObject($0, path: path(of: key), keys: keys, problems: problems) }
    }

    /// Reads an object. A missing object has default values.
    func section(_ key: String, keys: ConfigurationKeys) -> ConfigurationObject {
        object(key, keys: keys) ?? ConfigurationObject(JSONObject(), path: path(of: key), keys: keys, problems: problems)
    }

    /// Reads a text that must not be empty.
    /// - Parameter expected: describes the expected value, for the message about a value of another type.
    func string(_ key: String, _ expected: String = "a non-empty string") -> String? {
        guard let value = members[key] else { return nil }
        guard case .string(let text) = value, !text.isEmpty else {
            let isNumber = if case .integer = value { key.hasSuffix("_id") } else { false }
            problems.add(path(of: key), "expected \(expected), found \(value.kind)" + (isNumber ? "; put it in double quotes" : ""))
            return nil
        }
        guard !text.utf8.contains(0) else {
            problems.add(path(of: key), "expected a string without the character U+0000")
            return nil
        }
        return text
    }

    func require(_ key: String, _ remedy: String) {
        if members[key] == nil { problems.add(path(of: key), "missing; \(remedy)") }
    }

    /// - Parameter otherwise: the default, if the list of keys does not contain it.
    func bool(_ key: String, default otherwise: Bool? = nil) -> Bool {
        let fallback = otherwise ?? (keys.standard(of: key) == .bool(true))
        guard let value = members[key] else { return inForce(key, standard(key, fallback) { .bool($0) }) }
        guard case .bool(let bool) = value else {
            problems.add(
                path(of: key),
                "expected true or false, found \(value.kind)" + (["true", "false"].contains(value) ? "; remove the quotes" : ""))
            return fallback
        }
        return inForce(key, bool)
    }

    /// - Parameters:
    ///   - narrower: a range within the range of the key.
    ///   - otherwise: the default, if the list of keys does not contain it.
    func integer(_ key: String, within narrower: ClosedRange<Int>? = nil, default otherwise: Int? = nil) -> Int {
        let integer = optionalInteger(key, within: narrower) ?? standard(key, otherwise ?? defaultInteger(key)) { .integer(Int64($0)) }
        return inForce(key, integer)
    }

    private func defaultInteger(_ key: String) -> Int {
        if case .integer(let integer) = keys.standard(of: key) { Int(integer) } else { 0 }
    }

    /// Reads a timeout in milliseconds. A default is recorded unchanged; the effective timeout is returned.
    func timeLimit(_ key: String) -> Int {
        let milliseconds = integer(key)
        return members[key] == nil ? TimeLimit.milliseconds(milliseconds) : milliseconds
    }

    func optionalInteger(_ key: String, within narrower: ClosedRange<Int>? = nil) -> Int? {
        guard let value = members[key] else { return nil }
        let range = narrower ?? keys.range(of: key)
        guard case .integer(let integer) = value, let result = Int(exactly: integer), range.contains(result) else {
            problems.add(path(of: key), WrongInteger.message(value, key: key, range: range))
            return nil
        }
        return result
    }

    func number(_ key: String) -> Double {
        guard case .number(let range, let fallback) = keys.value(of: key) else { preconditionFailure("\(key) is not a number") }
        let value: Double? =
            switch members[key] {
            case nil: standard(key, fallback) { .real($0) }
            case .integer(let integer)?: Double(integer)
            case .number(let number)?: number.double
            case .some: nil
            }
        guard let value, range.contains(value) else {
            problems.add(path(of: key), "expected a number from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
            return fallback
        }
        return value
    }

    /// Reads one of several fixed words.
    /// - Parameter otherwise: the default, if the list of keys does not contain it.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, of type: Choice.Type = Choice.self, default otherwise: Choice? = nil
    ) -> Choice {
        choice(key, default: otherwise, name: \.rawValue)
    }

    func choice<Choice: CaseIterable>(_ key: String, default otherwise: Choice? = nil, name: (Choice) -> String) -> Choice {
        guard let fallback = otherwise ?? Choice.allCases.first(where: { name($0) == defaultText(key) }) else {
            preconditionFailure("\(key) has a default that is not one of its words")
        }
        guard let text = string(key) else { return inForce(key, standard(key, fallback) { .string(name($0)) }) }
        guard let choice = Choice.allCases.first(where: { name($0).utf8.elementsEqual(text.utf8) }) else {
            problems.add(path(of: key), UnknownWord.message(text, known: Choice.allCases.map(name)))
            return fallback
        }
        return inForce(key, choice)
    }

    /// Reads a list. Returns each element with its path.
    func array(_ key: String) -> [(value: JSONValue, path: String)]? {
        guard let value = members[key] else { return nil }
        guard case .array(let elements) = value else {
            let remedy = keys.value(of: key).listForm.map { "; write \($0)" } ?? ""
            problems.add(path(of: key), "expected a list, found \(value.kind)\(remedy)")
            return nil
        }
        return elements.enumerated().map { ($0.element, "\(path(of: key))[\($0.offset)]") }
    }
}

extension JSONValue {
    /// The name of the value's type for messages. It never contains the value, which may be a misplaced secret.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer: "a number"
        case .number: "a number with a fraction or an exponent"
        case .string(let text): text.isEmpty ? "an empty string" : "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
