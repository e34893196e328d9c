package import Time

/// An operator's decision that valid security keys are rejected.
package struct Revocation: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        case everyKey
        case user(String)
        /// The keys of a forgotten user, forever.
        case formerUser(FormerUser)
        /// The keys made with one of the app's secrets.
        case keyID(UInt32)
        /// The key with this salt of 16 bytes.
        case securityKey(salt: [UInt8])
    }

    package let id: UUIDv7
    package let appID: String
    package let subject: Subject
    /// Only keys issued before this second are revoked; nil revokes all keys, including those issued later.
    package let issuedBefore: UnixSeconds?
    /// The operator's text; may be empty.
    package let reason: String
    /// The location of the admin token and the peer's address, or `command` for a command without a service.
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

    /// Nil when no user is named, or the user was forgotten.
    package var person: AppUser? {
        if case .user(let userID) = subject { AppUser(appID: appID, userID: userID) } else { nil }
    }

    /// Whether it blocks a user: all keys are rejected, including later ones, until it is removed.
    package var isBlock: Bool {
        if case .user = subject { issuedBefore == nil } else { false }
    }

    /// Whether it concerns a forgotten user, whose data is never accepted again; it cannot be removed.
    package var isOfFormerUser: Bool { if case .formerUser = subject { true } else { false } }

    /// The first second whose keys remain valid if all keys issued until `now` are revoked, including those of the same second.
    package static func bound(after now: UnixSeconds) -> UnixSeconds { now.saturating(adding: 1) }

    /// The maximum length of a reason, in UTF-16 code units.
    package static let longestReason = 500
    /// The latest possible bound: no key can have a later time of issue.
    package static let latestBound = SecurityKey.latestTime + 1
}

package enum RevocationChange: Sendable, Equatable {
    case added(Revocation)
    case removed(UUIDv7)
}

package struct RevocationChanges: Sendable, Equatable {
    /// In chronological order; may repeat known changes.
    package let changes: [RevocationChange]
    /// The version after these changes, for the next query.
    package let version: Int64
    /// Whether no earlier change is missing; if false, all revocations must be read again.
    package let isComplete: Bool

    package init(changes: [RevocationChange], version: Int64, isComplete: Bool) {
        self.changes = changes
        self.version = version
        self.isComplete = isComplete
    }
}

package struct AppUser: Sendable, Equatable {
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
    /// The revocations that name a user; with `FormerUser.name` as the user id, those of a forgotten user.
    case person(AppUser)
}

extension Revocation: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        createdAt.convertTimes(convert)
    }
}
