package import JSON

/// An error in a webhook's body, answered 400. It contains a field's path and never a value.
package enum WebhookError: Error {
    case invalidJSON(JSONError)
    case notAnObject
    case missing(path: String, expectation: String)
    case unexpected(path: String, expectation: String)

    /// The field's path; the kind of error when no field is involved.
    package var reason: String {
        switch self {
        case .invalidJSON: "invalid_json"
        case .notAnObject: "not_an_object"
        case .missing(let path, _), .unexpected(let path, _): path
        }
    }

    package var message: String {
        switch self {
        case .invalidJSON(let error): "The body is not valid JSON: \(error)."
        case .notAnObject: "The body is JSON, but not an object."
        case .missing(let path, let expectation): "\(path) is missing; expected \(expectation)."
        case .unexpected(let path, let expectation): "\(path): expected \(expectation)."
        }
    }
}
