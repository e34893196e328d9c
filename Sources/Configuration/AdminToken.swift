package import Crypto

/// A bearer token of the admin listener, with its permissions.
package struct AdminToken: Sendable {
    package enum Role: String, Sendable, CaseIterable {
        /// May mint security keys and report reads of users, as backends do, and nothing else.
        case mint
        /// May read, but change nothing.
        case read
        case operate
    }

    /// `operate` for `admin.token`.
    package let role: Role
    /// Whether the token also has all other roles, as `admin.token` does.
    package let hasAllRoles: Bool
    /// The unique name of the token's holder; `admin.token` for the token of that key. Audit lines and revocations contain the name and not
    /// the index, because the index may belong to another token after a reload.
    package let name: String
    /// The configuration key that sets the token, without `$.`.
    let place: String
    package let secret: SecretBytes

    static let nameForEverything = "admin.token"

    /// Creates the token of `admin.token`, which has all roles.
    package init(forEverything secret: SecretBytes) {
        (role, hasAllRoles, self.secret) = (.operate, true, secret)
        (name, place) = (Self.nameForEverything, "admin.token")
    }

    /// Creates the token at an index of `admin.tokens`.
    package init(_ role: Role, _ secret: SecretBytes, name: String, index: Int) {
        (self.role, hasAllRoles, self.secret) = (role, false, secret)
        (self.name, place) = (name, "admin.tokens[\(index)]")
    }

    /// Whether the token grants the role `needed`.
    package func has(_ needed: Role) -> Bool {
        hasAllRoles || role == needed || (role == .operate && needed == .read)
    }
}

extension Configuration.Admin {
    /// Whether any token grants `role`.
    package func hasToken(for role: AdminToken.Role) -> Bool { tokens.contains { $0.has(role) } }

    /// The tokens that a command may send for an operation that requires `role`: `admin.token` alone if it is configured.
    ///
    /// A command trusts any listener that proves possession of one of these tokens. If `admin.token` is configured, holders of other tokens
    /// therefore cannot impersonate the service.
    package func tokens(for role: AdminToken.Role) -> [AdminToken] {
        tokens.first(where: \.hasAllRoles).map { [$0] } ?? tokens.filter { $0.has(role) }
    }
}
