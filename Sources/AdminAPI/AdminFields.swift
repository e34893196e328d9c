internal import Core
internal import JSON

/// The fields of a JSON body, read strictly: an unknown field, or one of another type, is rejected, because a misspelt one would change the
/// request's meaning.
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

    /// The text of an identity of the help desk, given as a text or as a whole number; nil when the field is missing.
    func identity(_ name: String) throws(AdminProblem) -> String? {
        switch object[name] {
        case nil: nil
        case .string(let text): text
        case .integer(let number): "\(number)"
        default: throw AdminProblem(name, "expected a string or a whole number.")
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

    /// Whether the field is present; the only valid value is true.
    func flag(_ name: String) throws(AdminProblem) -> Bool {
        guard let value = object[name] else { return false }
        guard value == true else { throw AdminProblem(name, "expected true.") }
        return true
    }

    /// A list of texts; nil when the field is missing.
    func texts(_ name: String) throws(AdminProblem) -> [String]? {
        guard let value = object[name] else { return nil }
        guard case .array(let values) = value else { throw AdminProblem(name, "expected a list of strings.") }
        let texts = values.compactMap(\.text)
        guard texts.count == values.count else { throw AdminProblem(name, "expected a list of strings.") }
        return texts
    }

    /// An object of texts; nil when the field is missing.
    func fields(_ name: String) throws(AdminProblem) -> [TicketField]? {
        guard let value = object[name] else { return nil }
        guard case .object(let members) = value else { throw AdminProblem(name, "expected an object of strings.") }
        let fields = members.members.compactMap { member in member.value.text.map { TicketField(key: member.key, value: $0) } }
        guard fields.count == members.members.count else { throw AdminProblem(name, "expected an object of strings.") }
        return fields
    }
}
