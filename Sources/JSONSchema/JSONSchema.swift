package import JSON

/// A JSON Schema, compiled once from the subset of draft 2020-12 that models use; docs/BOTS.md names it. Anything else is refused when the
/// schema is read, with its place.
package struct JSONSchema: Sendable {
    /// Something in a schema that is wrong or not supported.
    package struct Mistake: Sendable, Equatable, CustomStringConvertible {
        /// The path from the schema's root, such as `.properties.order_id.pattern`; empty for the root.
        package let path: String
        package let description: String
    }

    /// All that is wrong in a schema; never empty.
    package struct Mistakes: Error, Sendable, Equatable {
        /// In the order of the schema.
        package let all: [Mistake]
    }

    /// A breach of a schema: a sentence without any value.
    package struct Violation: Error, Equatable, CustomStringConvertible {
        /// The path such as `items[2].count`; empty for the whole value.
        package let path: String
        /// The sentence, such as `items[2].count must be at most 10`.
        package let description: String
    }

    /// The maximum number of violations in a message.
    package static let maximumViolations = 5

    private let root: SchemaNode

    /// Compiles a schema.
    /// - Parameter refusesUnknownNames: whether an object's schema that has `properties` and no `additionalProperties` rejects all other
    ///   names, unlike JSON Schema's default. Schemas below `allOf` and `not` keep that default, as they describe only a part of the
    ///   object.
    package init(_ schema: JSONValue, refusesUnknownNames: Bool = false) throws(Mistakes) {
        let compiler = SchemaCompiler(root: schema, refusesUnknownNames: refusesUnknownNames)
        root = compiler.compiledRoot()
        guard compiler.mistakes.isEmpty else { throw Mistakes(all: compiler.mistakes) }
    }

    /// Checks a value. The work is bounded: a value that takes too much of it has a breach, too.
    /// - Parameter value: as deep as a parser allows.
    /// - Returns: the first few breaches; or none, and the value in which each number that may only be an integer is written as one, such
    ///   as 1.0 as 1.
    package func check(_ value: JSONValue) -> (violations: [Violation], value: JSONValue) {
        var check = SchemaCheck()
        check.check(value, against: root)
        return (check.violations, check.violations.isEmpty ? check.withIntegers(value) : value)
    }

    /// The value that a text means for a member of the root object, by the types that the schema gives it: a number, a boolean, null, or
    /// the JSON of an array or an object; the text itself where a string is allowed, and where nothing else can be read.
    ///
    /// Throws when a number has no place in 64 bits.
    package func value(ofText text: String, forMember name: String) throws(Violation) -> JSONValue {
        guard let types = root.member(name)?.allTypes, !types.contains(.string) else { return .string(text) }
        if let json = try? JSONElement(parsing: text.utf8.span), let violation = Self.violation(ofNumbersIn: json, ofMember: name) {
            throw violation
        }
        guard let value = JSONValue(parsing: Array(text.utf8)), types.accepts(value) else { return .string(text) }
        return value
    }

    /// Whether a member of the root object can only be a text, a number or a boolean.
    package func isPlain(member name: String) -> Bool {
        guard let types = root.member(name)?.allTypes else { return false }
        return types.isSubset(of: [.string, .integer, .number, .boolean])
    }

    /// A foreign name in a form for sentences: at most 64 characters, and no control characters.
    package static func shown(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(longestShownName).map { scalar in
            scalar.properties.generalCategory == .control ? "?" : scalar
        }
        return scalars.isEmpty ? "\"\"" : String(String.UnicodeScalarView(scalars))
    }

    private static let longestShownName = 64
}
