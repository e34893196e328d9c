internal import JSON

/// One validation: traverses a value and the schema together, and collects the first few violations.
struct SchemaCheck {
    /// The position of a part of a value: the index of each member or item in its parent. Names are of foreign origin, may be long, and
    /// would be read again for each number below them.
    private typealias Place = [Int]

    /// The maximum number of comparisons of a part of the schema with a part of the value.
    private static let maximumSteps = 100_000
    /// The number of bytes of canonical JSON that are written in about the time of a step.
    private static let bytesOfStep = 64
    /// The number of digits of a number that are read, up to four times, in about the time of a step.
    private static let digitsOfStep = 8

    private(set) var violations: [JSONSchema.Violation] = []
    private var steps = 0
    private var path = ValuePath()
    private var place: Place = []
    /// The positions of numbers that must be integers, and are written in another way.
    private var integers: [Place] = []
    private var most = JSONSchema.maximumViolations

    private var isDone: Bool { violations.count >= most }

    mutating func check(_ value: JSONValue, against node: SchemaNode) {
        guard !isDone else { return }
        steps += 1
        if case .number(let number) = value { steps += number.text.utf8.count / Self.digitsOfStep }
        guard steps <= Self.maximumSteps else { return refuse("would take too long to check; give fewer values") }
        if node.rules.isNever { return refuse("is not allowed") }
        if let types = node.rules.types {
            guard types.accepts(value) else { return refuse("must be \(types.words)") }
            if types.hasOnlyIntegers, case .number(let number) = value { noteInteger(number) }
        }
        checkChoices(value, node.rules.choices)
        switch value {
        case .integer(let integer): check(ExactNumber(integer), node.rules.numbers)
        case .number(let number): check(ExactNumber(number), node.rules.numbers)
        case .string(let text): check(text, node.rules.strings)
        case .array(let items): check(items, node.rules.arrays)
        case .object(let object): check(object, node.rules.objects)
        case .null, .bool: break
        }
        check(value, node.rules.combinations)
    }

    private mutating func noteInteger(_ number: JSONNumber) {
        guard ExactNumber(number).int64 != nil else { return refuse("must be an integer from \(Int64.min) to \(Int64.max)") }
        integers.append(place)
    }

    private mutating func checkChoices(_ value: JSONValue, _ choices: [SchemaNode.Choices]) {
        guard !choices.isEmpty else { return }
        let canonical = canonical(value)
        for choice in choices where !choice.canonical.contains(canonical) { refuse("must be \(choice.words)") }
    }

    /// The canonical form, which is counted as work.
    private mutating func canonical(_ value: JSONValue) -> [UInt8] {
        var text = CanonicalText()
        text.append(value)
        steps += text.bytes.count / Self.bytesOfStep + text.digitsRead / Self.digitsOfStep
        return text.bytes
    }

    private mutating func check(_ number: ExactNumber, _ rules: SchemaNode.NumberRules) {
        if let bound = rules.minimum, number < bound.number { refuse("must be at least \(bound.text)") }
        if let bound = rules.exclusiveMinimum, number <= bound.number { refuse("must be more than \(bound.text)") }
        if let bound = rules.maximum, bound.number < number { refuse("must be at most \(bound.text)") }
        if let bound = rules.exclusiveMaximum, bound.number <= number { refuse("must be less than \(bound.text)") }
        if let bound = rules.multipleOf, !number.isMultiple(of: bound.number) { refuse("must be a multiple of \(bound.text)") }
    }

    private mutating func check(_ text: String, _ rules: SchemaNode.StringRules) {
        // A code point has one to four bytes, so the number of bytes nearly always decides.
        if rules.length.most != nil || rules.length.least != nil {
            check(text.unicodeScalars.count, range: rules.length, one: "character", many: "characters")
        }
        if let format = rules.format, !format.accepts(text) { refuse("must be \(format.words)") }
    }

    private mutating func check(_ items: [JSONValue], _ rules: SchemaNode.ArrayRules) {
        check(items.count, range: rules.count, one: "item", many: "items")
        if rules.areUnique {
            var seen: Set<[UInt8]> = []
            if !items.allSatisfy({ seen.insert(canonical($0)).inserted }) { refuse("must not contain an item twice") }
        }
        guard let node = rules.items else { return }
        for (index, item) in items.enumerated() where !isDone {
            path.enter(item: index)
            check(item, at: index, against: node)
            path.leave()
        }
    }

    private mutating func check(_ object: JSONObject, _ rules: SchemaNode.ObjectRules) {
        check(object.members.count, range: rules.count, one: "member", many: "members")
        if !rules.required.isEmpty {
            let names = Set(object.members.map { Array($0.key.utf8) })
            for name in rules.required where !names.contains(Array(name.utf8)) {
                refuse(member: name, "is missing")
            }
        }
        for (index, member) in object.members.enumerated() where !isDone {
            if let node = rules.properties[Array(member.key.utf8)] {
                check(member, at: index, against: node)
            } else if let others = rules.others {
                if others.rules.isNever {
                    refuseUnknown(member.key, rules.names)
                } else {
                    check(member, at: index, against: others)
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

    /// Whether a value is valid, without recording violations. It is invalid when the work exceeds the limit.
    private mutating func accepts(_ value: JSONValue, _ node: SchemaNode) -> Bool {
        let (before, integersBefore) = ((violations, most), integers.count)
        (violations, most) = ([], 1)
        check(value, against: node)
        let isValid = violations.isEmpty && steps <= Self.maximumSteps
        (violations, most) = before
        if !isValid { integers.removeLast(integers.count - integersBefore) }
        if steps > Self.maximumSteps, violations.isEmpty { refuse("would take too long to check; give fewer values") }
        return isValid
    }

    private mutating func check(_ member: JSONObject.Member, at index: Int, against node: SchemaNode) {
        path.enter(member: member.key)
        check(member.value, at: index, against: node)
        path.leave()
    }

    private mutating func check(_ value: JSONValue, at index: Int, against node: SchemaNode) {
        place.append(index)
        check(value, against: node)
        place.removeLast()
    }

    private mutating func check(_ count: Int, range: SchemaNode.Range, one: String, many: String) {
        if let least = range.least, count < least { refuse("must have at least \(least) \(least == 1 ? one : many)") }
        if let most = range.most, count > most { refuse("must have at most \(most) \(most == 1 ? one : many)") }
    }

    private mutating func refuseUnknown(_ name: String, _ known: [String]) {
        let shown = known.prefix(Self.maximumKnownNames).map { JSONSchema.shown($0) }.joined(separator: ", ")
        refuse(member: name, known.isEmpty ? "is unknown; there are no names here" : "is unknown; known here: \(shown)")
    }

    private static let maximumKnownNames = 20

    private mutating func refuse(member name: String, _ words: String) {
        path.enter(member: name)
        refuse(words)
        path.leave()
    }

    private mutating func refuse(_ words: String) {
        guard violations.count < most else { return }
        violations.append(JSONSchema.Violation(path, words))
    }
}

// The value that is used when it is valid.
extension SchemaCheck {
    /// The value in which each number that must be an integer is written as one, such as 1.0 as 1.
    func withIntegers(_ value: JSONValue) -> JSONValue {
        integers.isEmpty ? value : Self.written(value, at: [], Set(integers))
    }

    private static func written(_ value: JSONValue, at place: Place, _ integers: Set<Place>) -> JSONValue {
        switch value {
        case .number(let number) where integers.contains(place): ExactNumber(number).int64.map { .integer($0) } ?? value
        case .array(let items): .array(items.enumerated().map { written($1, at: place + [$0], integers) })
        case .object(let object): .object(object.mapValues { written($1.value, at: place + [$0], integers) })
        default: value
        }
    }
}
