internal import JSON

/// The fields of a JSON body, read strictly: a field that nobody knows, or of another type, is refused, because a misspelt one would change
/// what the request does.
struct AdminFields {
    private let object: JSONObject

    /// Parses the body.
    /// - Parameter parameters: the known fields.
    init(_ body: Span<UInt8>, _ parameters: [AdminRoute.Parameter]) throws(AdminProblem) {
        object = try AdminBody.object(body)
        for member in object.members { _ = try parameters.known(member.key, as: "field") }
    }

    /// A text; nil when the field is missing.
    func text(_ name: String) throws(AdminProblem) -> String? {
        switch object[name] {
        case nil: nil
        case .string(let text): text
        default: throw AdminProblem(name, "expected a string.")
        }
    }

    /// A whole number; nil when the field is missing.
    func number(_ name: String) throws(AdminProblem) -> Int64? {
        switch object[name] {
        case nil: nil
        case .integer(let number): number
        default: throw AdminProblem(name, "expected a whole number.")
        }
    }
}
