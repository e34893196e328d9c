package import Crypto

/// A bearer token of the admin listener, with what it is for.
package struct AdminToken: Sendable {
    package enum Role: String, Sendable, CaseIterable {
        /// Mint security keys and say what users have read, as backends do, and nothing else.
        case mint
        /// Read; change nothing.
        case read
        case operate
    }

    /// `operate` for `admin.token`.
    package let role: Role
    /// Whether it has the other roles too, as `admin.token` has.
    package let hasAllRoles: Bool
    /// The name of its holder, which no other token has; `admin.token` for that one. Audit lines and revocations say it in place of the
    /// token, because its place is another token's after a reload.
    package let name: String
    /// The key of the configuration that has it, without `$.`.
    let place: String
    package let secret: SecretBytes

    /// The name of `admin.token`.
    static let nameForEverything = "admin.token"

    /// Makes the token of `admin.token`, which may do everything.
    package init(forEverything secret: SecretBytes) {
        (role, hasAllRoles, self.secret) = (.operate, true, secret)
        (name, place) = (Self.nameForEverything, "admin.token")
    }

    /// Makes the token at an index of `admin.tokens`.
    package init(_ role: Role, _ secret: SecretBytes, name: String, index: Int) {
        (self.role, hasAllRoles, self.secret) = (role, false, secret)
        (self.name, place) = (name, "admin.tokens[\(index)]")
    }

    /// Whether the token suffices where `needed` is asked for.
    package func has(_ needed: Role) -> Bool {
        hasAllRoles || role == needed || (role == .operate && needed == .read)
    }
}

extension Configuration.Admin {
    /// Whether any token suffices where `role` is asked for.
    package func hasToken(for role: AdminToken.Role) -> Bool { tokens.contains { $0.has(role) } }

    /// The tokens that a command may send where `role` is asked for: `admin.token` alone if it is configured.
    ///
    /// A command believes a listener that knows any of these. So holders of lesser tokens cannot answer it in the service's place.
    package func tokens(for role: AdminToken.Role) -> [AdminToken] {
        tokens.first(where: \.hasAllRoles).map { [$0] } ?? tokens.filter { $0.has(role) }
    }
}
