import JSON

@testable import Configuration

/// A value in a configuration: its path, and its name in the documentation.
struct ConfigurationPlace {
    /// A step from an object or a list to one of its values.
    enum Step {
        case key(String)
        case index(Int)
    }

    let root: JSONValue
    let steps: [Step]
    let value: JSONValue
    /// The path, with `[]` for each element of a list and a word in capitals for each name that an operator chooses.
    let pattern: String
    /// The type of the notifier that it belongs to; empty elsewhere.
    let type: String
    /// Whether it has no values below it; a secret, or a list of secrets or texts, counts as one value.
    let isLeaf: Bool

    /// The key as in a row of the documentation, with the notifier's type.
    var name: String { "\(pattern) \(type)" }

    var path: String { Self.path(steps[...]) }

    /// The paths from the root to this value, each with the value there.
    var around: [(path: String, value: JSONValue)] {
        steps.indices.map { end in
            let way = steps[...end]
            return (Self.path(way), way.reduce(root) { Self.step($0, $1) })
        }
    }

    /// The whole configuration with another value here, or without this key.
    func root(with value: JSONValue?) -> JSONValue { replacing(in: root, by: value) }

    /// A configuration of the same form with another value here, or without this key.
    func replacing(in other: JSONValue, by value: JSONValue?) -> JSONValue { Self.replace(other, steps[...], by: value) ?? .null }

    /// Every value of a configuration except the elements of lists of texts or secrets.
    static func all(in root: JSONValue) -> [ConfigurationPlace] {
        var found: [ConfigurationPlace] = []
        walk(root, steps: [], pattern: "", type: "") { steps, value, pattern, type, isLeaf in
            found.append(ConfigurationPlace(root: root, steps: steps, value: value, pattern: pattern, type: type, isLeaf: isLeaf))
        }
        return found
    }

    private static func walk(
        _ value: JSONValue, steps: [Step], pattern: String, type: String,
        visit: ([Step], JSONValue, String, String, Bool) -> Void
    ) {
        // A schema's keys are those of JSON Schema. The texts of templates are documented together.
        let isWhole = pattern.hasSuffix(".functions[].parameters") || pattern.hasSuffix(".templates")
        if case .object(let object) = value, !isSecret(value), !isWhole {
            if !steps.isEmpty { visit(steps, value, pattern, type, false) }
            for entry in object.members {
                let word = word(entry.key, in: pattern)
                let type = if pattern == "notifiers", case .object(let notifier) = entry.value { notifierType(notifier) } else { type }
                walk(
                    entry.value, steps: steps + [.key(entry.key)], pattern: pattern.isEmpty ? word : "\(pattern).\(word)", type: type,
                    visit: visit)
            }
        } else if case .array(let elements) = value, elements.contains(where: isPlainObject) {
            visit(steps, value, pattern, type, false)
            for (index, element) in elements.enumerated() {
                walk(element, steps: steps + [.index(index)], pattern: "\(pattern)[]", type: type, visit: visit)
            }
        } else {
            visit(steps, value, pattern, type, true)
        }
    }

    /// The placeholders for names that operators choose.
    private static func word(_ key: String, in pattern: String) -> String {
        switch pattern {
        case "notifiers", "traces.otlp.headers", "bots[].functions[].request.headers": "NAME"
        case "bots[].functions[].bind": "PARAMETER"
        case "apps[].routes" where key != "default": "TYPE"
        default: key
        }
    }

    private static func notifierType(_ notifier: JSONObject) -> String {
        if case .string(let type)? = notifier["type"] { type } else { "" }
    }

    static func isSecret(_ value: JSONValue) -> Bool {
        guard case .object(let object) = value else { return false }
        return object.members.count == 1 && SecretReader.keys.names.contains(object.members[0].key)
    }

    private static func isPlainObject(_ value: JSONValue) -> Bool {
        if case .object = value { !isSecret(value) } else { false }
    }

    private static func path(_ steps: ArraySlice<Step>) -> String {
        steps.reduce("$") { path, step in
            switch step {
            case .key(let key): "\(path).\(key)"
            case .index(let index): "\(path)[\(index)]"
            }
        }
    }

    private static func step(_ value: JSONValue, _ step: Step) -> JSONValue {
        switch (value, step) {
        case (.object(let object), .key(let key)): object[key] ?? .null
        case (.array(let elements), .index(let index)): elements[index]
        default: .null
        }
    }

    private static func replace(_ value: JSONValue, _ steps: ArraySlice<Step>, by new: JSONValue?) -> JSONValue? {
        guard let first = steps.first else { return new }
        switch (value, first) {
        case (.object(let object), .key(let key)):
            let members = object.members.compactMap { entry -> (String, JSONValue)? in
                guard entry.key == key else { return (entry.key, entry.value) }
                return replace(entry.value, steps.dropFirst(), by: new).map { (entry.key, $0) }
            }
            return .object(JSONObject(members))
        case (.array(let elements), .index(let index)):
            return .array(
                elements.enumerated().compactMap { $0.offset == index ? replace($0.element, steps.dropFirst(), by: new) : $0.element })
        default: return value
        }
    }
}
