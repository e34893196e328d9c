internal import JSON
internal import Time

/// Collects the results of reading a configuration: mistakes, so that all are reported at once, the values that cannot change while
/// serving, and the files.
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

/// The value of a key that only a restart takes over, as a text.
struct FixedValue: Sendable, Hashable {
    let path, value: String
}

/// An object of the configuration at its path. Each reader records its mistakes and continues with the default.
struct ConfigurationObject {
    let path: String
    let problems: ConfigurationFindings
    private let keys: ConfigurationKeys
    private let members: JSONObject

    /// Takes a value that must be an object with no keys but `keys`.
    init?(_ value: JSONValue, path: String, keys: ConfigurationKeys, problems: ConfigurationFindings) {
        guard case .object(let members) = value else {
            // Somebody means to switch it on or off.
            let remedy = value == true ? "; write {} for its defaults" : value == false ? "; leave the key out" : ""
            problems.add(path, "expected an object, found \(value.kind)\(path == "$" ? "" : remedy)")
            return nil
        }
        // A reader may share code with one whose list has more keys, and reads no member that its own list does not have.
        var known = JSONObject()
        for member in members.members {
            if keys.names.contains(where: { $0.utf8.elementsEqual(member.key.utf8) }) {
                known.append(member.value, forKey: member.key)
            } else {
                // Only the lists of the types know to which type another key belongs.
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

    /// Notes the default of a key that the file does not have.
    /// - Returns: the default.
    func standard<Value>(_ key: String, _ value: Value, as json: (Value) -> JSONValue) -> Value {
        if members[key] == nil { problems.settings.note(path(of: key), value: json(value), origin: .standard) }
        return value
    }

    /// Notes the default of a text that its key does not have.
    func standard(_ key: String, _ text: String) -> String { standard(key, text) { .string($0) } }

    func standard(_ key: String) -> String { standard(key, defaultText(key)) }

    /// Notes the default of a list of texts.
    func standardTexts(_ key: String) -> [String] {
        standard(key, keys.standard(of: key)) { $0 }.elements.compactMap(\.text)
    }

    /// The default of a text, before anything is made of it.
    func defaultText(_ key: String) -> String { keys.standard(of: key).text ?? "" }

    /// Notes the value of a key with its default filled in, if only a restart applies it; until then it is recorded as written.
    func inForce<Value>(_ key: String, _ value: Value) -> Value {
        guard keys.fixed.contains(key) else { return value }
        problems.fixed.removeAll { $0.path == path(of: key) }
        problems.fixed.append(FixedValue(path: path(of: key), value: "\(value)"))
        return value
    }

    func path(of key: String) -> String { "\(path).\(key)" }

    func value(_ key: String) -> JSONValue? { members[key] }

    /// Reads an object; of its key only its presence is noted, as its own keys note the rest.
    func object(_ key: String, keys: ConfigurationKeys) -> ConfigurationObject? {
        _ = inForce(key, members[key] != nil)
        return members[key].flatMap { ConfigurationObject($0, path: path(of: key), keys: keys, problems: problems) }
    }

    /// Reads an object; a missing one has its defaults.
    func section(_ key: String, keys: ConfigurationKeys) -> ConfigurationObject {
        object(key, keys: keys) ?? ConfigurationObject(JSONObject(), path: path(of: key), keys: keys, problems: problems)
    }

    /// Reads a text that is not empty.
    /// - Parameter expected: names it, for a value of another kind.
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

    /// - Parameter otherwise: the default, where the key does not have it.
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
    ///   - narrower: a range within that of the key.
    ///   - otherwise: the default, where the key does not have it.
    func integer(_ key: String, within narrower: ClosedRange<Int>? = nil, default otherwise: Int? = nil) -> Int {
        let integer = optionalInteger(key, within: narrower) ?? standard(key, otherwise ?? defaultInteger(key)) { .integer(Int64($0)) }
        return inForce(key, integer)
    }

    private func defaultInteger(_ key: String) -> Int {
        if case .integer(let integer) = keys.standard(of: key) { Int(integer) } else { 0 }
    }

    /// Reads a time limit in milliseconds. A default is recorded unchanged; the limit in force is returned.
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
        guard case .number(let range, let fallback) = keys.value(of: key) else { preconditionFailure("\(key) is no number") }
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

    /// Reads one of a few words.
    /// - Parameter otherwise: the default, where the key does not have it.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, of type: Choice.Type = Choice.self, default otherwise: Choice? = nil
    ) -> Choice {
        choice(key, default: otherwise, name: \.rawValue)
    }

    func choice<Choice: CaseIterable>(_ key: String, default otherwise: Choice? = nil, name: (Choice) -> String) -> Choice {
        guard let fallback = otherwise ?? Choice.allCases.first(where: { name($0) == defaultText(key) }) else {
            preconditionFailure("\(key) has another default than its words")
        }
        guard let text = string(key) else { return inForce(key, standard(key, fallback) { .string(name($0)) }) }
        guard let choice = Choice.allCases.first(where: { name($0).utf8.elementsEqual(text.utf8) }) else {
            problems.add(path(of: key), UnknownWord.message(text, known: Choice.allCases.map(name)))
            return fallback
        }
        return inForce(key, choice)
    }

    /// Reads a list; the paths of its elements distinguish them.
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
    /// A person's word for this kind of value; never the value, which may be a secret at the wrong location.
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
