package struct NameQuery: Sendable, Equatable {
    /// The name, compared as bytes.
    package let name: String
    package let kinds: Set<NameMatch.Kind>

    package init(_ name: String, kinds: Set<NameMatch.Kind>) {
        self.name = name
        self.kinds = kinds
    }
}

package struct NameMatch: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case user, device, comment, ticket, delivery
        case securityKey = "security_key"
    }

    package enum Source: String, Sendable, CaseIterable {
        case device
        case block
        /// A revocation, other than a block, that contains the user.
        case revocation
        /// The digest of a forgotten user.
        case former
        case delivery
        /// The key id of a security key, for which the app has a secret. The signature is not valid.
        case keyID = "key_id"
        /// The valid signature of a security key for the user.
        case signature
    }

    package let kind: Kind
    package let source: Source
    package let appID: String
    /// The matching user, or the owner of a device, a delivery or a valid security key; otherwise nil.
    package let userID: String?

    package init(_ kind: Kind, in source: Source, appID: String, userID: String? = nil) {
        (self.kind, self.source, self.appID, self.userID) = (kind, source, appID, userID)
    }

    /// - Parameters:
    ///   - isRevoked: whether a revocation other than a block contains a user with this name.
    ///   - hasComment: whether a stored delivery is about a comment with this name.
    package static func indexed(
        _ name: String, appID: String, hasDevice: Bool, isBlocked: Bool, isRevoked: Bool, hasComment: Bool
    ) -> [Self] {
        var found: [Self] = []
        if hasDevice { found.append(Self(.user, in: .device, appID: appID, userID: name)) }
        if isBlocked { found.append(Self(.user, in: .block, appID: appID, userID: name)) }
        if isRevoked { found.append(Self(.user, in: .revocation, appID: appID, userID: name)) }
        if hasComment { found.append(Self(.comment, in: .delivery, appID: appID)) }
        return found
    }

    package static func ofEvent(_ name: String, appID: String, isUser: Bool, isTicket: Bool) -> [Self] {
        var found: [Self] = []
        if isUser { found.append(Self(.user, in: .delivery, appID: appID, userID: name)) }
        if isTicket { found.append(Self(.ticket, in: .delivery, appID: appID)) }
        return found
    }

    /// Compares bytes, because Swift's `==` treats canonically equivalent strings as equal.
    package static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.source == right.source && ByteKey(left.appID) == ByteKey(right.appID)
            && left.userID.map { ByteKey($0) } == right.userID.map { ByteKey($0) }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(source)
        hasher.combine(ByteKey(appID))
        hasher.combine(userID.map { ByteKey($0) })
    }
}

/// The position at which a search continues.
package enum NameCursor: Sendable, Equatable {
    /// Continues after this device in the order of the store; events follow.
    case devices(after: Device.Key)
    /// Continues with events that have lower numbers.
    case events(before: Int64)
}

package struct NamePage: Sendable, Equatable {
    /// The matches. A match may be repeated in another page.
    package let matches: [NameMatch]
    /// The position of the next page; nil for the last page.
    package let next: NameCursor?

    package init(_ matches: [NameMatch], next: NameCursor?) {
        (self.matches, self.next) = (matches, next)
    }
}
