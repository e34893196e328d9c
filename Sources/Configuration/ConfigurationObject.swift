internal import JSON

/// Gathers mistakes while a configuration is read, so that all are told at once.
final class ConfigurationProblems {
    private(set) var all: [ConfigurationProblem] = []

    func add(_ path: String, _ message: String, at place: JSONPlace? = nil) {
        all.append(ConfigurationProblem(path: path, message: message, place: place))
    }
}

/// An object of the configuration at its path; each reader notes what it finds wrong and goes on with the default.
struct ConfigurationObject {
    let path: String
    let problems: ConfigurationProblems
    private let members: JSONObject

    /// Takes a value that must be an object with no keys but `keys`.
    init?(_ value: JSONValue, path: String, keys: [String], problems: ConfigurationProblems) {
        guard case .object(let members) = value else {
            problems.add(path, "expected an object, found \(value.kind)")
            return nil
        }
        self.path = path
        self.problems = problems
        self.members = members
        for member in members.members where !keys.contains(where: { $0.utf8.elementsEqual(member.key.utf8) }) {
            problems.add("\(path).\(printable(member.key))", UnknownKey.message(member.key, known: keys))
        }
    }

    func path(of key: String) -> String { "\(path).\(key)" }

    func value(_ key: String) -> JSONValue? { members[key] }

    func object(_ key: String, keys: [String]) -> ConfigurationObject? {
        members[key].flatMap { ConfigurationObject($0, path: path(of: key), keys: keys, problems: problems) }
    }

    func string(_ key: String) -> String? {
        guard let value = members[key] else { return nil }
        guard case .string(let text) = value, !text.isEmpty else {
            problems.add(path(of: key), "expected a non-empty string, found \(value.kind)")
            return nil
        }
        guard !text.utf8.contains(0) else {
            problems.add(path(of: key), "expected a string without the character U+0000")
            return nil
        }
        return text
    }

    func bool(_ key: String, default fallback: Bool) -> Bool {
        guard let value = members[key] else { return fallback }
        guard case .bool(let bool) = value else {
            problems.add(path(of: key), "expected true or false, found \(value.kind)")
            return fallback
        }
        return bool
    }

    func integer(_ key: String, _ range: ClosedRange<Int>, default fallback: Int) -> Int {
        optionalInteger(key, range) ?? fallback
    }

    func optionalInteger(_ key: String, _ range: ClosedRange<Int>) -> Int? {
        guard let value = members[key] else { return nil }
        guard case .integer(let integer) = value, let result = Int(exactly: integer), range.contains(result) else {
            let found = if case .integer(let integer) = value { "\(integer)" } else { value.kind }
            problems.add(path(of: key), "expected an integer from \(range.lowerBound) to \(range.upperBound), found \(found)")
            return nil
        }
        return result
    }

    /// Reads one of a few words.
    func choice<Choice: RawRepresentable & CaseIterable>(_ key: String, default fallback: Choice) -> Choice
    where Choice.RawValue == String {
        guard let text = string(key) else { return fallback }
        guard let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            problems.add(path(of: key), "expected one of \(choices)")
            return fallback
        }
        return choice
    }

    /// Reads a list whose elements are told apart by their paths.
    func array(_ key: String) -> [(value: JSONValue, path: String)]? {
        guard let value = members[key] else { return nil }
        guard case .array(let elements) = value else {
            problems.add(path(of: key), "expected a list, found \(value.kind)")
            return nil
        }
        return elements.enumerated().map { ($0.element, "\(path(of: key))[\($0.offset)]") }
    }
}

extension JSONValue {
    /// What a person calls this kind of value; never the value itself, which may be a secret in the wrong place.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer: "a number"
        case .real: "a number with a fraction"
        case .string(let text): text.isEmpty ? "an empty string" : "a string"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
