internal import Configuration
internal import JSON

/// The body of `POST /v1/keys`.
struct KeyRequest {
    /// What is wrong with it, for the caller; never a value.
    struct Mistake: Error {
        let message: String
    }

    private static let fields = ["app_id", "user_id", "ttl_seconds"]

    let appID: String
    let userID: String
    let lifeSeconds: UInt64?

    /// Reads the body. Unknown fields are refused, because a misspelt `ttl_seconds` would make a key that lives too long.
    init(_ body: Span<UInt8>) throws(Mistake) {
        let object = try Self.object(body)
        if let unknown = object.members.first(where: { member in !Self.fields.contains { $0.utf8.elementsEqual(member.key.utf8) } }) {
            throw Mistake(message: "Unknown field \(printable(unknown.key)); known are \(Self.fields.joined(separator: ", ")).")
        }
        appID = try Self.text("app_id", in: object)
        userID = try Self.text("user_id", in: object)
        switch object["ttl_seconds"] {
        case nil, .null: lifeSeconds = nil
        case .integer(let seconds) where seconds >= 0: lifeSeconds = UInt64(seconds)
        default: throw Mistake(message: "ttl_seconds: expected a whole number of seconds, or 0 for ever.")
        }
    }

    private static func object(_ body: Span<UInt8>) throws(Mistake) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONDocument(parsing: body).value()
        } catch {
            throw Mistake(message: "The body is not valid JSON: \(error).")
        }
        guard case .object(let object) = value else {
            throw Mistake(message: "The body is JSON, but not an object with app_id and user_id.")
        }
        return object
    }

    private static func text(_ field: String, in object: JSONObject) throws(Mistake) -> String {
        guard case .string(let text) = object[field] else { throw Mistake(message: "\(field): expected a string.") }
        return text
    }
}
