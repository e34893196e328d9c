/// A field of an authorization request.
package enum CredentialField: String, Sendable, Equatable, CaseIterable {
    /// The app that the help desk made, up to 255 UTF-16 code units.
    case appID = "app_id"
    /// The person, up to 100 UTF-16 code units.
    case userID = "user_id"
    /// The proof, 89 characters.
    case securityKey = "security_key"

    /// The name as it stands in a request.
    package var name: String { rawValue }
}
