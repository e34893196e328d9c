package import Core
package import JSON

/// An error in a request's body. It is answered with 400.
package enum BodyError: Error {
    /// A credential is missing, null, not a string, duplicate, or malformed.
    case malformed(ValidationError)
    case invalidJSON(JSONError)
    case notAnObject
    case invalidForm(FormError)
    /// A field other than a credential has an unexpected value.
    case unexpected(field: String, expectation: String)

    package static let invalidJSONReason = "invalid_json"
    package static let notAnObjectReason = "not_an_object"
    package static let invalidFormReason = "invalid_form"

    package var reason: String {
        switch self {
        case .malformed(let error): error.problem.rawValue
        case .invalidJSON: Self.invalidJSONReason
        case .notAnObject: Self.notAnObjectReason
        case .invalidForm: Self.invalidFormReason
        case .unexpected(let field, _): "bad_\(field)"
        }
    }

    /// The name of the malformed credential; nil for every other error.
    package var field: String? {
        if case .malformed(let error) = self { error.field.name } else { nil }
    }

    /// One sentence for the caller. It contains no text from the body.
    package var message: String {
        switch self {
        case .malformed(let error): error.description
        case .invalidJSON(let error): "The body is not valid JSON: \(error)."
        case .notAnObject: "The body is JSON, but not an object with app_id, user_id and security_key."
        case .invalidForm(let error): "The body is not a valid form: \(error)."
        case .unexpected(let field, let expectation): "\(field) is not as expected: \(expectation)."
        }
    }

    init(_ error: FormError) {
        guard case .duplicate(let name) = error else {
            self = .invalidForm(error)
            return
        }
        self =
            if let field = CredentialField(rawValue: "\(name)") {
                .malformed(ValidationError(field, .duplicate))
            } else {
                .unexpected(field: "\(name)", expectation: "it is given twice; give it once")
            }
    }
}
