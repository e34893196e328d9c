/// An error in a request that does not match the public grammar. The response has status 400, and contains the field and the expected
/// format, but never a value.
package struct ValidationError: Sendable, Equatable, CustomStringConvertible {
    package enum Problem: String, Sendable, Equatable, CaseIterable {
        case missing
        case null
        case notAString = "not_a_string"
        case duplicate
        case empty
        /// The value has more UTF-16 code units than allowed.
        case tooLong = "too_long"
        /// The value contains U+0000 to U+001F, or U+007F.
        case controlCharacter = "control_character"
        case notASecurityKey = "not_a_security_key"

        /// The end of a sentence that begins with the name of the field.
        package var complaint: String {
            switch self {
            case .missing: "is missing"
            case .null: "is null"
            case .notAString: "is not a string"
            case .duplicate: "is given twice"
            case .empty: "is empty"
            case .tooLong: "is too long"
            case .controlCharacter: "holds a control character"
            case .notASecurityKey: "is not a security key"
            }
        }
    }

    package let field: CredentialField
    package let problem: Problem
    /// Whether the security key has the format of the app's backend.
    private let isForeignKey: Bool

    package init(_ field: CredentialField, _ problem: Problem) {
        self.field = field
        self.problem = problem
        isForeignKey = false
    }

    /// Creates an error about a security key that has the format of the app's backend.
    init(foreignKey problem: Problem) {
        field = .securityKey
        self.problem = problem
        isForeignKey = true
    }

    package var description: String { "\(field.name) \(complaint)" }

    /// The sentence without the field, for callers that use another name for the field.
    package var complaint: String {
        "\(problem.complaint); expected \(problem == .duplicate ? "a single value" : expectation)."
    }

    private var expectation: String {
        switch field {
        case .appID: "a string of 1 to \(FieldGrammar.longestAppID) UTF-16 code units"
        case .userID: "a string of 1 to \(FieldGrammar.longestUserID) UTF-16 code units"
        case .securityKey where isForeignKey: "a string of 1 to \(FieldGrammar.longestUserID) UTF-16 code units"
        case .securityKey: "dgk1. and 84 base64url characters"
        }
    }
}

package enum CredentialField: String, Sendable, Equatable, CaseIterable {
    /// The help desk's app id, up to 255 UTF-16 code units.
    case appID = "app_id"
    /// Up to 100 UTF-16 code units.
    case userID = "user_id"
    /// 89 characters, or a key that only the app's backend understands.
    case securityKey = "security_key"

    package var name: String { rawValue }
}
