/// Secrets and identifiers of these tests that no output may contain; `Scripts/scan-secrets` detects them by their prefix.
enum Markers {
    static let prefix = "mkZ9qT4w"
    /// Secrets of apps: 32 bytes each, as 43 base64url characters.
    static let appSecrets = [
        "\(prefix)7Hc0vXlB2nRfYd5sGJ8eKpUaWtOi6yLmQDE", "\(prefix)Vb1zNqC9kMh4uTjFoZr0PgXw5DsIeYl7LaE",
    ]
    static let adminToken = "\(prefix)-admin-token-e3Rk8sVw0pLd"
    static let user = "\(prefix)-user"
    static let otherUser = "\(prefix)-other-user"
    /// A marker in headers, paths and fields of requests that Deskgate does not use.
    static let stray = "\(prefix)-stray"
}
