internal import Core
internal import JSON
internal import JSONSchema

/// The functions of a chatbot, and the parameters that a model may set.
extension ConfigurationReader {
    private static let maximumFunctions = 64
    /// The default rate limits of a bot: more calls than a person needs, but fewer than a model in a loop makes.
    static let defaultBotLimits = [LimitRule(per: .user, max: 30, windowMilliseconds: 60_000)]

    func botFunctions(_ bot: ConfigurationObject) -> [BotFunction] {
        bot.require("functions", "list the functions that the model may call")
        guard let elements = bot.array("functions") else { return [] }
        let path = bot.path(of: "functions")
        if elements.isEmpty { problems.add(path, "expected at least one function") }
        let handsOff = bot.value(Self.handOffKey) != nil
        let most = handsOff ? Self.maximumFunctions - 1 : Self.maximumFunctions
        if elements.count > most {
            problems.add(path, "expected at most \(most) functions\(handsOff ? " beside \(Self.handOffKey)" : ""), found \(elements.count)")
        }
        var names: [String] = []
        return elements.compactMap { value, path in
            let value = unwrapped(value, path: path)
            guard let object = ConfigurationObject(value, path: path, keys: Self.botFunctionKeys, problems: problems) else { return nil }
            let name = functionName(object, others: names)
            names.append(name)
            if handsOff, name == Self.handOffKey { refuseHandOffName(object) }
            return botFunction(object, name: name)
        }
    }

    /// Reports a function in the format of OpenAI's API, `{"type": "function", "function": {…}}`, as a mistake, and returns its members.
    private func unwrapped(_ value: JSONValue, path: String) -> JSONValue {
        guard case .object(let wrapper) = value, case .object(var members)? = wrapper["function"] else { return value }
        problems.add("\(path).function", #"move its members up, and remove "function" and "type""#)
        for member in wrapper.members where !["function", "type"].contains(member.key) && members[member.key] == nil {
            members.append(member.value, forKey: member.key)
        }
        return .object(members)
    }

    private func botFunction(_ object: ConfigurationObject, name: String) -> BotFunction? {
        object.require("description", "describe for the model what the function does, and when to call it")
        let description = object.string("description") ?? ""
        let bindings = bindings(object)
        let parameters = BotParameters(object, bindings: bindings.map(\.parameter))
        let request = botRequest(object, parameters)
        let confirmation = confirmation(object, method: request?.method, parameters: parameters)
        let limits =
            limits(object, scopes: [.user]) ?? object.standard("limits", Self.defaultBotLimits, as: Self.json)
        guard let schema = parameters.schema, let request else { return nil }
        return BotFunction(
            name: name, description: description, parameters: schema, modelParameters: parameters.shown, bindings: bindings,
            action: .request(request), confirmation: confirmation, limits: limits)
    }

    private func functionName(_ object: ConfigurationObject, others: [String]) -> String {
        object.require("name", "give the function a name, such as get_order_list")
        guard let name = object.string("name") else { return "" }
        let path = object.path(of: "name")
        if !BotText.isName(name) { problems.add(path, "expected 1 to 64 letters, digits, \"-\" or \"_\"") }
        if others.contains(name) { problems.add(path, "another function of this bot has this name already") }
        return name
    }

    private func bindings(_ function: ConfigurationObject) -> [(parameter: String, binding: BotBinding)] {
        let path = function.path(of: "bind")
        guard let value = function.value("bind") else { return [] }
        guard case .object(let object) = value else {
            problems.add(path, "expected an object such as {\"customer_id\": \"user_id\"}, found \(value.kind)")
            return []
        }
        return object.members.compactMap { member in
            guard let binding = member.value.text.flatMap({ BotBinding(rawValue: $0) }) else {
                let words = BotBinding.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
                problems.add("\(path).\(printable(member.key))", "expected \(words)")
                return nil
            }
            return (member.key, binding)
        }
    }

    private func confirmation(_ object: ConfigurationObject, method: BotMethod?, parameters: BotParameters) -> BotConfirmation {
        let confirmation = object.choice("confirm", default: method == .get ? BotConfirmation.none : .user)
        if method == .get, confirmation != .none {
            problems.add(
                object.path(of: "confirm"),
                "a function whose method is GET changes nothing, so there is nothing to confirm; give another method, or remove this")
        }
        if confirmation == .model, parameters.names.contains("confirmation") {
            problems.add(
                object.path(of: "parameters"), "\"confirmation\" is the name under which the model confirms; give the parameter another one"
            )
        }
        return confirmation
    }
}

/// The parameters of a function while they are read: their names, and the parameters that have a value in every call.
struct BotParameters {
    /// The allowed keywords at the root of the schema.
    private static let rootKeywords = [
        "type", "properties", "required", "additionalProperties", "title", "description", "$defs", "$schema", "$comment",
    ]
    /// The allowed keywords of a bound parameter, whose value is a text that is not validated.
    private static let boundKeywords = ["type", "title", "description", "$comment"]
    static let none: JSONValue = ["type": "object", "properties": [:]]

    let names: [String]
    let shown: JSONValue
    /// The schema for the model's arguments; nil when it is invalid.
    let schema: JSONSchema?
    private let bound: [String]
    private let required: [String]

    /// Reads `parameters`, and records its mistakes.
    /// - Parameter bindings: the names in `bind`.
    init(_ function: ConfigurationObject, bindings: [String]) {
        let value = function.value("parameters") ?? function.standard("parameters", Self.none) { $0 }
        let path = function.path(of: "parameters")
        let problems = function.problems
        let properties = if case .object(let object)? = value["properties"] { object } else { JSONObject() }
        names = properties.members.map(\.key)
        bound = bindings
        required = (value["required"]?.elements ?? []).compactMap(\.text)
        shown = Self.without(bindings, in: value)
        Self.checkRoot(value, path: path, problems: problems)
        for name in names where !BotText.isName(name) || name == "__proto__" {
            problems.add("\(path).properties.\(printable(name))", "expected a name of 1 to 64 letters, digits, \"-\" or \"_\"")
        }
        for name in bindings {
            let place = "\(function.path(of: "bind")).\(printable(name))"
            guard let schema = properties[name] else {
                problems.add(place, "there is no parameter of this name; add it to \"parameters\".\"properties\", or remove it here")
                continue
            }
            Self.checkBound(schema, path: "\(path).properties.\(printable(name))", problems: problems)
        }
        schema = Self.compiled(value, shown: shown, path: path, problems: problems)
    }

    /// Records mistakes in the name of a placeholder in an address or a header.
    func check(placeholder name: String, path: String, _ problems: ConfigurationFindings) {
        if bound.contains(name) { return }
        if !names.contains(name) {
            let known = names.isEmpty ? "the function has no parameters" : "its parameters are \(names.joined(separator: ", "))"
            return problems.add(path, "the function has no parameter \(printable(name)); \(known)")
        }
        if !required.contains(name) {
            problems.add(path, "the parameter \(printable(name)) may be missing; add it to \"required\", or leave it out here")
        }
        if let schema, !schema.isPlain(member: name) {
            problems.add(path, "the parameter \(printable(name)) must be of the type string, integer, number or boolean here")
        }
    }

    private static func checkRoot(_ value: JSONValue, path: String, problems: ConfigurationFindings) {
        guard case .object(let object) = value else { return problems.add(path, "expected a JSON Schema, which is an object") }
        if value["type"]?.text != "object" { problems.add("\(path).type", "expected \"object\", as arguments have names") }
        for member in object.members where !rootKeywords.contains(member.key) {
            problems.add(
                "\(path).\(printable(member.key))", "not supported at the root; known here: \(rootKeywords.joined(separator: ", "))")
        }
        if let others = value["additionalProperties"], others != .bool(false) {
            problems.add("\(path).additionalProperties", "expected false, as a function takes no unknown names; it may be left out")
        }
    }

    private static func checkBound(_ schema: JSONValue, path: String, problems: ConfigurationFindings) {
        guard case .object(let object) = schema, schema["type"]?.text == "string" else {
            return problems.add(path, "a bound parameter is a text; write {\"type\": \"string\"}")
        }
        for member in object.members where !boundKeywords.contains(member.key) {
            problems.add("\(path).\(printable(member.key))", "a bound parameter is not checked; remove this")
        }
    }

    /// Compiles the whole schema to find its mistakes, and the part of the schema for the model.
    private static func compiled(
        _ value: JSONValue, shown: JSONValue, path: String, problems: ConfigurationFindings
    ) -> JSONSchema? {
        do throws(JSONSchema.Mistakes) {
            _ = try JSONSchema(value, refusesUnknownNames: true)
            return try JSONSchema(shown, refusesUnknownNames: true)
        } catch {
            // The problems of the root were already reported.
            for mistake in error.all where !mistake.path.isEmpty && !problems.all.contains(where: { $0.path == path + mistake.path }) {
                problems.add(path + mistake.path, mistake.description)
            }
            return nil
        }
    }

    /// Returns the schema without the given properties.
    private static func without(_ names: [String], in value: JSONValue) -> JSONValue {
        guard case .object(let object) = value, !names.isEmpty else { return value }
        let members = object.members.compactMap { member -> (String, JSONValue)? in
            switch (member.key, member.value) {
            case ("properties", .object(let properties)):
                let others = properties.members.filter { !names.contains($0.key) }.map { ($0.key, $0.value) }
                return (member.key, .object(JSONObject(others)))
            case ("required", .array(let required)):
                let others = required.filter { name in !names.contains { $0 == name.text } }
                return others.isEmpty ? nil : (member.key, .array(others))
            default: return (member.key, member.value)
            }
        }
        return .object(JSONObject(members))
    }
}
