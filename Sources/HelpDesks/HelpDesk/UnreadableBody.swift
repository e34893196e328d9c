package import Core
package import JSON

/// Why no credentials could be read from a body: answered 400.
package enum UnreadableBody: Error {
    /// A field is missing, null, no string or given twice.
    case malformed(Malformation)
    /// The body is not strict JSON.
    case invalidJSON(JSONError)
    /// The body is JSON, but no object.
    case notAnObject
    /// The body is not a strict form.
    case invalidForm(FormError)

    package static let invalidJSONReason = "invalid_json"
    package static let notAnObjectReason = "not_an_object"
    package static let invalidFormReason = "invalid_form"

    /// The reason as it stands in logs and metrics.
    package var reason: String {
        switch self {
        case .malformed(let malformation): malformation.problem.rawValue
        case .invalidJSON: Self.invalidJSONReason
        case .notAnObject: Self.notAnObjectReason
        case .invalidForm: Self.invalidFormReason
        }
    }

    /// The name of the field that is not as it must be; nil when the whole body is not.
    package var field: String? {
        if case .malformed(let malformation) = self { malformation.field.name } else { nil }
    }

    /// One sentence for the caller, without anything of the body.
    package var message: String {
        switch self {
        case .malformed(let malformation): malformation.description
        case .invalidJSON(let error): "The body is not valid JSON: \(error)."
        case .notAnObject: "The body is JSON, but not an object with app_id, user_id and security_key."
        case .invalidForm(let error): "The body is not a valid form: \(error)."
        }
    }
}

extension UnreadableBody {
    init(_ error: JSONFieldError) {
        let field = Self.field(error.name)
        switch error.problem {
        case .missing: self = .malformed(Malformation(field, .missing))
        case .null: self = .malformed(Malformation(field, .null))
        case .notAString: self = .malformed(Malformation(field, .notAString))
        case .rootNotAnObject: self = .notAnObject
        }
    }

    init(_ error: FormError) {
        switch error {
        case .missing(let name): self = .malformed(Malformation(Self.field(name), .missing))
        case .duplicate(let name): self = .malformed(Malformation(Self.field(name), .duplicate))
        case .badEscape, .invalidUTF8: self = .invalidForm(error)
        }
    }

    private static func field(_ name: StaticString) -> CredentialField {
        guard let field = CredentialField(rawValue: "\(name)") else { preconditionFailure("only credentials are asked for") }
        return field
    }
}
