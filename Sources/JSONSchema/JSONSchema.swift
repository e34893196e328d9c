package import JSON

/// A JSON Schema, compiled once from the subset of draft 2020-12 that models use, which docs/BOTS.md lists. Anything else is rejected when
/// the schema is parsed, with its path.
package struct JSONSchema: Sendable {
    /// A part of a schema that is invalid or not supported.
    package struct Mistake: Sendable, Equatable, CustomStringConvertible {
        /// The path from the schema's root, such as `.properties.order_id.pattern`; empty for the root.
        package let path: String
        package let description: String
    }

    /// All mistakes in a schema; never empty.
    package struct Mistakes: Error, Sendable, Equatable {
        /// In the order of the schema.
        package let all: [Mistake]
    }

    /// A violation of a schema: a sentence without any value.
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

    /// Checks a value. The work is limited: a value that needs too much of it has a violation, too.
    /// - Parameter value: as deep as a parser allows.
    /// - Returns: the first few violations; or none, and the value in which each number that must be an integer is written as one, such as
    ///   1.0 as 1.
    package func check(_ value: JSONValue) -> (violations: [Violation], value: JSONValue) {
        var check = SchemaCheck()
        check.check(value, against: root)
        return (check.violations, check.violations.isEmpty ? check.withIntegers(value) : value)
    }

    /// Converts a text to a value of a member of the root object, by the member's types in the schema: a number, a boolean, null, or the
    /// JSON of an array or an object; the text itself if a string is allowed, and if it cannot be converted.
    ///
    /// Throws when a number does not fit in 64 bits.
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
