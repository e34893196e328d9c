internal import JSON

struct SchemaTypes: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = Self(rawValue: 1)
    static let boolean = Self(rawValue: 2)
    /// Numbers without a fraction, such as 1 and 1.0.
    static let integer = Self(rawValue: 4)
    static let number = Self(rawValue: 8)
    static let string = Self(rawValue: 16)
    static let array = Self(rawValue: 32)
    static let object = Self(rawValue: 64)

    static let named: [(name: String, type: Self, words: String)] = [
        ("null", .null, "null"), ("boolean", .boolean, "true or false"), ("integer", .integer, "an integer"),
        ("number", .number, "a number"), ("string", .string, "a string"), ("array", .array, "an array"), ("object", .object, "an object"),
    ]

    var hasOnlyIntegers: Bool { contains(.integer) && !contains(.number) }

    func accepts(_ value: JSONValue) -> Bool {
        switch value {
        case .null: contains(.null)
        case .bool: contains(.boolean)
        case .integer: contains(.integer) || contains(.number)
        case .number(let number): contains(.number) || contains(.integer) && ExactNumber(number).isInteger
        case .string: contains(.string)
        case .array: contains(.array)
        case .object: contains(.object)
        }
    }

    /// The required value in words, such as `a string or null`.
    var words: String {
        Self.named.reversed().filter { contains($0.type) }.map(\.words).joined(separator: " or ")
    }
}

/// A compiled schema: all of its rules must hold. Several schemas may share the target of a `$ref`, never in a cycle.
final class SchemaNode: Sendable {
    /// A whole number as a bound, in the words of a sentence.
    struct Range: Sendable {
        var least: Int?
        var most: Int?
    }

    struct NumberRules: Sendable {
        /// A number of the schema, with its text.
        struct Bound: Sendable {
            let number: ExactNumber
            let text: String
        }

        var minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf: Bound?
    }

    struct StringRules: Sendable {
        var length = Range()
        var format: TextFormat?
    }

    struct ArrayRules: Sendable {
        var items: SchemaNode?
        var count = Range()
        var areUnique = false
    }

    struct ObjectRules: Sendable {
        /// By the UTF-8 of the name, because names that are equal in Unicode are distinct.
        var properties: [[UInt8]: SchemaNode] = [:]
        /// In the order of the schema.
        var names: [String] = []
        var required: [String] = []
        /// The schema of members with other names; nil allows any value.
        var others: SchemaNode?
        var count = Range()
    }

    struct Combinations: Sendable {
        var all: [SchemaNode] = []
        var any: [SchemaNode] = []
        var one: [SchemaNode] = []
        var not: SchemaNode?
    }

    /// The parts of a schema while it is being parsed.
    struct Rules: Sendable {
        /// The schema `false`: nothing is valid.
        var isNever = false
        var types: SchemaTypes?
        /// The allowed values of `enum` and of `const`, each in its canonical form.
        var choices: [Choices] = []
        var numbers = NumberRules()
        var strings = StringRules()
        var arrays = ArrayRules()
        var objects = ObjectRules()
        var combinations = Combinations()
    }

    /// The values that `enum` or `const` allows.
    struct Choices: Sendable {
        let canonical: Set<[UInt8]>
        let words: String
    }

    let rules: Rules

    init(_ rules: Rules) {
        self.rules = rules
    }

    /// The schema `true`.
    static let anything = SchemaNode(Rules())
    /// The schema `false`.
    static let never = SchemaNode(Rules(isNever: true))

    /// The schema of a member; nil when there is none of this name.
    func member(_ name: String) -> SchemaNode? {
        rules.objects.properties[Array(name.utf8)] ?? rules.combinations.all.lazy.compactMap { $0.member(name) }.first
    }

    /// The allowed types, including those of its reference and its alternatives; nil when none are given.
    var allTypes: SchemaTypes? {
        if let types = rules.types ?? rules.combinations.all.lazy.compactMap(\.allTypes).first { return types }
        let alternatives = rules.combinations.any.isEmpty ? rules.combinations.one : rules.combinations.any
        let types = alternatives.compactMap(\.allTypes)
        return types.isEmpty || types.count < alternatives.count ? nil : types.reduce(SchemaTypes()) { $0.union($1) }
    }
}
