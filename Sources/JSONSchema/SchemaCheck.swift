internal import JSON

/// One validation: walks a value and the schema together, and gathers the first few breaches.
struct SchemaCheck {
    /// How often a part of the schema is compared with a part of the value, at most.
    private static let mostSteps = 100_000
    /// How many bytes of canonical JSON are written in about the time of a step.
    private static let bytesOfStep = 64

    private enum Step {
        case member(String)
        case item(Int)
    }

    private(set) var violations: [JSONSchema.Violation] = []
    private var steps = 0
    private var path: [Step] = []
    /// How many breaches are of interest.
    private var most = JSONSchema.mostViolations

    private var isDone: Bool { violations.count >= most }

    /// Notes the breaches of a schema in a value.
    mutating func check(_ value: JSONValue, against node: SchemaNode) {
        guard !isDone else { return }
        steps += 1
        guard steps <= Self.mostSteps else { return refuse("would take too long to check; give fewer values") }
        if node.rules.isNever { return refuse("is not allowed") }
        if let types = node.rules.types, !types.accepts(value) { return refuse("must be \(types.words)") }
        checkChoices(value, node.rules.choices)
        switch value {
        case .integer(let integer): check(ExactNumber(integer), node.rules.numbers)
        case .real(let real): check(ExactNumber(real), node.rules.numbers)
        case .string(let text): check(text, node.rules.strings)
        case .array(let items): check(items, node.rules.arrays)
        case .object(let object): check(object, node.rules.objects)
        case .null, .bool: break
        }
        check(value, node.rules.combinations)
    }

    private mutating func checkChoices(_ value: JSONValue, _ choices: [SchemaNode.Choices]) {
        guard !choices.isEmpty else { return }
        let canonical = canonical(value)
        for choice in choices where !choice.canonical.contains(canonical) { refuse("must be \(choice.words)") }
    }

    /// The canonical form, which is counted as work.
    private mutating func canonical(_ value: JSONValue) -> [UInt8] {
        let bytes = JSONSchema.canonical(value)
        steps += bytes.count / Self.bytesOfStep
        return bytes
    }

    private mutating func check(_ number: ExactNumber, _ rules: SchemaNode.NumberRules) {
        if let bound = rules.minimum, number < bound.number { refuse("must be at least \(bound.text)") }
        if let bound = rules.exclusiveMinimum, number <= bound.number { refuse("must be more than \(bound.text)") }
        if let bound = rules.maximum, bound.number < number { refuse("must be at most \(bound.text)") }
        if let bound = rules.exclusiveMaximum, bound.number <= number { refuse("must be less than \(bound.text)") }
        if let bound = rules.multipleOf, !number.isMultiple(of: bound.number) { refuse("must be a multiple of \(bound.text)") }
    }

    private mutating func check(_ text: String, _ rules: SchemaNode.StringRules) {
        // A code point takes one to four bytes, so the bytes nearly always tell.
        if rules.length.most != nil || rules.length.least != nil {
            check(text.unicodeScalars.count, rules.length, "character", "characters")
        }
        if let format = rules.format, !format.accepts(text) { refuse("must be \(format.words)") }
    }

    private mutating func check(_ items: [JSONValue], _ rules: SchemaNode.ArrayRules) {
        check(items.count, rules.count, "item", "items")
        if rules.areUnique {
            var seen: Set<[UInt8]> = []
            if !items.allSatisfy({ seen.insert(canonical($0)).inserted }) { refuse("must not have an item twice") }
        }
        guard let node = rules.items else { return }
        for (index, item) in items.enumerated() where !isDone { descend(.item(index), item, node) }
    }

    private mutating func check(_ object: JSONObject, _ rules: SchemaNode.ObjectRules) {
        check(object.members.count, rules.count, "member", "members")
        if !rules.required.isEmpty {
            let names = Set(object.members.map { Array($0.key.utf8) })
            for name in rules.required where !names.contains(Array(name.utf8)) {
                path.append(.member(name))
                refuse("is missing")
                path.removeLast()
            }
        }
        for member in object.members where !isDone {
            if let node = rules.properties[Array(member.key.utf8)] {
                descend(.member(member.key), member.value, node)
            } else if let others = rules.others {
                if others.rules.isNever {
                    refuseUnknown(member.key, rules.names)
                } else {
                    descend(.member(member.key), member.value, others)
                }
            }
        }
    }

    private mutating func check(_ value: JSONValue, _ rules: SchemaNode.Combinations) {
        for node in rules.all { check(value, against: node) }
        if let node = rules.not, !isDone, accepts(value, node) { refuse("must not be like this") }
        if !rules.any.isEmpty, !isDone, !rules.any.contains(where: { accepts(value, $0) }) {
            refuse("has none of the forms that are allowed")
        }
        if !rules.one.isEmpty, !isDone {
            let fitting = rules.one.count { accepts(value, $0) }
            if fitting == 0 { refuse("has none of the forms that are allowed") }
            if fitting > 1 { refuse("fits \(fitting) of the forms that are allowed, where it must fit one") }
        }
    }

    /// Whether a value is valid, without a word about it. When the work has become too much, it is not.
    private mutating func accepts(_ value: JSONValue, _ node: SchemaNode) -> Bool {
        let before = (violations, most)
        (violations, most) = ([], 1)
        check(value, against: node)
        let isValid = violations.isEmpty && steps <= Self.mostSteps
        (violations, most) = before
        if steps > Self.mostSteps, violations.isEmpty { refuse("would take too long to check; give fewer values") }
        return isValid
    }

    private mutating func descend(_ step: Step, _ value: JSONValue, _ node: SchemaNode) {
        path.append(step)
        check(value, against: node)
        path.removeLast()
    }

    private mutating func check(_ count: Int, _ range: SchemaNode.Range, _ one: String, _ many: String) {
        if let least = range.least, count < least { refuse("must have at least \(least) \(least == 1 ? one : many)") }
        if let most = range.most, count > most { refuse("must have at most \(most) \(most == 1 ? one : many)") }
    }

    private mutating func refuseUnknown(_ name: String, _ known: [String]) {
        let shown = known.prefix(Self.mostKnownNames).map { JSONSchema.shown($0) }.joined(separator: ", ")
        path.append(.member(name))
        refuse(known.isEmpty ? "is unknown; there are no names here" : "is unknown; known here: \(shown)")
        path.removeLast()
    }

    private static let mostKnownNames = 20

    private mutating func refuse(_ words: String) {
        guard violations.count < most else { return }
        let place = place
        violations.append(JSONSchema.Violation(path: place, description: "\(place.isEmpty ? "the value" : place) \(words)"))
    }

    private var place: String {
        path.reduce(into: "") { text, step in
            switch step {
            case .member(let name): text += (text.isEmpty ? "" : ".") + JSONSchema.shown(name)
            case .item(let index): text += "[\(index)]"
            }
        }
    }
}
