internal import Core
package import HTTPServer
package import JSON

package enum CallDescription {
    package static let credentials: [(String, JSONValue)] = [
        ("app_id", described(Schema.line(1...FieldGrammar.longestAppID), "The app. The length is measured in UTF-16 code units.")),
        ("user_id", described(Schema.line(1...FieldGrammar.longestUserID), "The person. The length is measured in UTF-16 code units.")),
        (
            "security_key",
            described(
                Schema.line(1...FieldGrammar.longestUserID),
                "The person's security key: `dgk1.` and 84 base64url characters, unless the app's backend alone decides.")
        ),
    ]

    /// Example values of these fields. The key is well-formed, but was minted without a real secret.
    package static let exampleCredentials: [(String, JSONValue)] = [
        ("app_id", "my-app"), ("user_id", "user-1"), ("security_key", .string("dgk1." + String(repeating: "A", count: 84))),
    ]

    package static let malformed = RouteDescription.Answer(
        400, text: "The body is neither strict JSON nor a form, or a field is missing or not as expected; the message names it.")
    /// The answer 403, which is the same for every reason.
    package static let denied = RouteDescription.Answer(
        403,
        text: "The person may not use the chat (`denied`), or the caller is not allowed (`forbidden_network`, `forbidden_certificate`, "
            + "`forbidden_header`). The answer gives no reason.")
    package static let undecided = RouteDescription.Answer(
        503, text: "A failure of the service or of its dependencies, never a denial.", headers: ["Retry-After"])

    package static func described(_ schema: JSONValue, _ text: String) -> JSONValue {
        guard case .object(var object) = schema else { return schema }
        object.append(.string(text), forKey: "description")
        return .object(object)
    }
}
