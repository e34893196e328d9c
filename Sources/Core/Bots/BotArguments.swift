package import JSON
internal import JSONSchema

package struct BotArguments: Sendable, Equatable {
    /// The model's arguments after validation. Integers are normalized: 1.0 becomes 1.
    package let given: JSONObject
    /// The model's and the bound arguments, as the backend receives them.
    package let complete: JSONObject
    /// `complete` in the canonical form of `JSONSchema.canonical`: equal arguments have equal bytes.
    package let canonical: [UInt8]
}

extension BotFunction {
    private static var maximumTexts: Int { 256 }

    /// Validates the model's arguments and adds the bound ones. Throws a sentence about the first few faults.
    package func arguments(_ given: JSONValue, of grant: BotGrant) throws(BotArgumentsProblem) -> BotArguments {
        let (violations, checked) = parameters.check(given)
        guard case .object(var object) = checked else { throw BotArgumentsProblem("the arguments must be an object") }
        guard violations.isEmpty else {
            throw BotArgumentsProblem(violations.map(\.description).joined(separator: "; "))
        }
        // This is before signing, so that the customer confirms the text that support will read.
        if case .handOff = action { object = try BotHandOff.shown(object) }
        var complete = object
        for (parameter, binding) in bindings {
            complete.append(.string(binding == .userID ? grant.userID : grant.appID), forKey: parameter)
        }
        let canonical = JSONSchema.canonical(.object(complete))
        // A number may have more or fewer digits than its canonical form.
        let longest = max(canonical.count, JSONValue.object(complete).serialized().count)
        if changesSomething, longest > Self.longestConfirmedArguments {
            throw BotArgumentsProblem("the arguments are longer than \(Self.longestConfirmedArguments) bytes")
        }
        return BotArguments(given: object, complete: complete, canonical: canonical)
    }

    /// Converts text arguments of a query or a form to the types of their parameters where possible.
    /// - Throws: a sentence about too many arguments, a duplicate name or a number beyond 64 bits.
    package func value(ofTexts texts: [(name: String, text: String)]) throws(BotArgumentsProblem) -> JSONValue {
        guard texts.count <= Self.maximumTexts else { throw BotArgumentsProblem("there are more than \(Self.maximumTexts) arguments") }
        var members: [(String, JSONValue)] = []
        var names: Set<[UInt8]> = []
        for (name, text) in texts {
            guard names.insert(Array(name.utf8)).inserted else {
                throw BotArgumentsProblem("\(JSONSchema.shown(name)) has two values")
            }
            do throws(JSONSchema.Violation) {
                members.append((name, try parameters.value(ofText: text, forMember: name)))
            } catch {
                throw BotArgumentsProblem(error.description)
            }
        }
        return .object(JSONObject(members))
    }
}
