/// Why a field that must be a string could not be read; it never holds the field's value.
package struct JSONFieldError: Error {
    /// What is wrong with the field, or with the document that should hold it.
    package enum Problem: Equatable, Sendable {
        case missing, null, notAString, rootNotAnObject
    }

    /// The field that was asked for.
    package let name: StaticString
    /// What is wrong.
    package let problem: Problem
}

extension JSONFieldError: CustomStringConvertible {
    /// The mistake in words, such as `user_id is missing`.
    package var description: String {
        switch problem {
        case .missing: "\(name) is missing"
        case .null: "\(name) is null, a string was expected"
        case .notAString: "\(name) is not a string"
        case .rootNotAnObject: "\(name) was expected in a JSON object, the text is something else"
        }
    }
}
