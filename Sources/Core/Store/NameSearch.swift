/// A text that may be the name of something in any app, for operators who look for it.
package struct NameQuery: Sendable, Equatable {
    /// The text, compared as bytes.
    package let name: String
    package let kinds: Set<NameMatch.Kind>

    package init(_ name: String, kinds: Set<NameMatch.Kind>) {
        self.name = name
        self.kinds = kinds
    }
}

/// Something of an app that has the name which was searched for.
package struct NameMatch: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case user, device, comment, ticket, delivery
        case securityKey = "security_key"
    }

    package enum Source: String, Sendable, CaseIterable {
        case device
        case block
        case revocation
        /// By its digest among the users who were forgotten.
        case former
        case delivery
        /// Only in the key id of a security key, of which the app has a secret.
        case keyID = "key_id"
        /// In the signature of a security key, which a secret of the app has made for the user.
        case signature
    }

    package let kind: Kind
    package let source: Source
    package let appID: String
    /// The user that was found, or that owns the device, the delivery or the genuine security key; nil for anything else.
    package let userID: String?

    package init(_ kind: Kind, in source: Source, appID: String, userID: String? = nil) {
        (self.kind, self.source, self.appID, self.userID) = (kind, source, appID, userID)
    }

    /// The matches of an app by the facts that an index leads to.
    /// - Parameters:
    ///   - hasDevice: whether a user of this name has a registered device.
    ///   - isBlocked: whether a user of this name is blocked.
    ///   - isRevoked: whether another revocation names a user of this name.
    ///   - hasComment: whether a stored delivery is about a comment of this name.
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

    /// The matches of an app by the facts of an event.
    /// - Parameters:
    ///   - isUser: whether the event is about a user of this name.
    ///   - isTicket: whether the event is about a ticket of this name.
    package static func ofEvent(_ name: String, appID: String, isUser: Bool, isTicket: Bool) -> [Self] {
        var found: [Self] = []
        if isUser { found.append(Self(.user, in: .delivery, appID: appID, userID: name)) }
        if isTicket { found.append(Self(.ticket, in: .delivery, appID: appID)) }
        return found
    }

    /// Compared as bytes: Swift's strings are equal when Unicode calls them so.
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

package enum NameCursor: Sendable, Equatable {
    /// After this device, in the order of the store; events follow.
    case devices(after: Device.Key)
    /// Among the events with lower numbers.
    case events(before: Int64)
}

/// A part of the matches of a name.
package struct NamePage: Sendable, Equatable {
    /// The matches; another page may have the same again.
    package let matches: [NameMatch]
    /// The start of the next page; nil for none.
    package let next: NameCursor?

    package init(_ matches: [NameMatch], next: NameCursor?) {
        (self.matches, self.next) = (matches, next)
    }
}
