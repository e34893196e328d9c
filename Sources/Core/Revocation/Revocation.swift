package import Time

/// An operator's revocation of genuine security keys: one key, a person's, those of a key id, or all of an app.
package struct Revocation: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        case everyKey
        case user(String)
        /// For ever: a person who was forgotten.
        case formerUser(FormerUser)
        /// Keys made with one of the app's secrets.
        case keyID(UInt32)
        /// The one with this salt, which has 16 bytes.
        case securityKey(salt: [UInt8])
    }

    package let id: UUIDv7
    package let appID: String
    package let subject: Subject
    /// Only keys issued in an earlier second are revoked; nil for all, also those that are issued later.
    package let issuedBefore: UnixSeconds?
    /// The operator's own words; empty when there are none.
    package let reason: String
    /// The author: the admin token by its location and the peer's address, or `command` for a command without a service.
    package let author: String
    package private(set) var createdAt: UnixMilliseconds
    /// The number of devices that it has signed out so far.
    package var devicesRemoved: Int

    package init(
        id: UUIDv7, appID: String, subject: Subject, issuedBefore: UnixSeconds?, reason: String, author: String,
        createdAt: UnixMilliseconds, devicesRemoved: Int = 0
    ) {
        if case .securityKey(let salt) = subject { precondition(salt.count == SecurityKey.saltCount, "a salt has 16 bytes") }
        self.id = id
        self.appID = appID
        self.subject = subject
        self.issuedBefore = issuedBefore
        self.reason = reason
        self.author = author
        self.createdAt = createdAt
        self.devicesRemoved = devicesRemoved
    }

    /// The person whose keys it revokes, by name; nil for one without a name, and for a forgotten person.
    package var person: RevokedPerson? {
        if case .user(let userID) = subject { RevokedPerson(appID: appID, userID: userID) } else { nil }
    }

    /// Whether it blocks a person: no key of theirs counts, also later ones, until it is removed.
    package var isBlock: Bool {
        if case .user = subject { issuedBefore == nil } else { false }
    }

    /// Whether it is about a person who was forgotten: nothing of theirs is taken any more, and it cannot be removed.
    package var isOfFormerUser: Bool { if case .formerUser = subject { true } else { false } }

    /// The first second whose keys are spared when all keys issued until `now` are revoked, those of the same second included.
    package static func bound(after now: UnixSeconds) -> UnixSeconds { now.saturating(adding: 1) }

    /// The longest reason in UTF-16 code units.
    package static let longestReason = 500
    /// The latest bound: no key can say a later time of issue.
    package static let latestBound = SecurityKey.latestTime + 1
}

package enum RevocationChange: Sendable, Equatable {
    case added(Revocation)
    case removed(UUIDv7)
}

package struct RevocationChanges: Sendable, Equatable {
    /// In the order of the changes. A known change may be repeated.
    package let changes: [RevocationChange]
    /// The version that is known once these changes are; the next news are asked for since this one.
    package let version: Int64
    /// Whether nothing is missing before these changes. If not, all revocations must be read again.
    package let isComplete: Bool

    package init(changes: [RevocationChange], version: Int64, isComplete: Bool) {
        self.changes = changes
        self.version = version
        self.isComplete = isComplete
    }
}

/// A person of an app whose revocations are listed or who is forgotten.
package struct RevokedPerson: Sendable, Equatable {
    package let appID: String
    package let userID: String

    package init(appID: String, userID: String) {
        self.appID = appID
        self.userID = userID
    }
}

package enum RevocationFilter: Sendable, Equatable {
    case all
    case app(String)
    /// The revocations that name a person; with `FormerUser.name` as the user id, the revocations with which a person was forgotten.
    case person(RevokedPerson)
}

extension Revocation: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        createdAt.convertTimes(convert)
    }
}
