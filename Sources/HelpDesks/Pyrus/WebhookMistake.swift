internal import JSON

/// Why a webhook's body is not an event: answered 400. It names the place and never holds a value.
enum WebhookMistake: Error {
    /// The body is not strict JSON.
    case invalidJSON(JSONError)
    /// The body is JSON, but no object.
    case notAnObject
    /// A field is missing that an event needs.
    case missing(path: String, expectation: String)
    /// A field holds something else than it must.
    case unexpected(path: String, expectation: String)

    /// The place, or the kind of mistake where there is none, as it stands in the log.
    var reason: String {
        switch self {
        case .invalidJSON: "invalid_json"
        case .notAnObject: "not_an_object"
        case .missing(let path, _), .unexpected(let path, _): path
        }
    }

    /// One sentence for the caller.
    var message: String {
        switch self {
        case .invalidJSON(let error): "The body is not valid JSON: \(error)."
        case .notAnObject: "The body is JSON, but not an object with ticket_id, token and comment."
        case .missing(let path, let expectation): "\(path) is missing; expected \(expectation)."
        case .unexpected(let path, let expectation): "\(path): expected \(expectation)."
        }
    }
}
