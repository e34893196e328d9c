package import Time

/// The last successful authorization with a key of an app, as known to all processes that share the store.
package struct KeyUse: Sendable, Equatable {
    package struct Name: Hashable, Comparable, Sendable {
        package let app: ByteKey
        package let keyID: UInt32

        package init(app: ByteKey, keyID: UInt32) {
            self.app = app
            self.keyID = keyID
        }

        /// The order of the apps' bytes, and then of the numbers.
        package static func < (left: Name, right: Name) -> Bool { (left.app, left.keyID) < (right.app, right.keyID) }
    }

    package let appID: String
    package let keyID: UInt32
    /// Since when its use is recorded: nothing is known of the time before.
    package private(set) var since: UnixMilliseconds
    /// When it was last used, to the minute; nil when that has not happened since.
    package private(set) var usedAt: UnixMilliseconds?

    package init(appID: String, keyID: UInt32, since: UnixMilliseconds, usedAt: UnixMilliseconds?) {
        self.appID = appID
        self.keyID = keyID
        self.since = since
        self.usedAt = usedAt
    }

    package var name: Name { Name(app: ByteKey(appID), keyID: keyID) }

    /// Until when it may have been used for all that is known: the last use, or the time before the record.
    package var lastPossibleUse: UnixMilliseconds { usedAt.map { max($0, since) } ?? since }

    package func merged(with other: KeyUse) -> KeyUse {
        KeyUse(appID: appID, keyID: keyID, since: min(since, other.since), usedAt: [usedAt, other.usedAt].compactMap(\.self).max())
    }
}

/// A process that serves with a shared store, as its last heartbeat says.
package struct Replica: Sendable, Equatable {
    /// After how many milliseconds of silence a process counts as dead.
    package static let deadMilliseconds: UInt64 = TimeLimit.milliseconds(30_000)

    package let id: String
    package let isOwn: Bool
    /// Milliseconds between its heartbeat and that of this process.
    package let silentMilliseconds: UInt64
    /// The digest of the keys that it has in force (`Authorizer.keysDigest`); nil when it published none, as older versions and commands.
    package let keysDigest: String?

    package init(id: String, isOwn: Bool, silentMilliseconds: UInt64, keysDigest: String?) {
        self.id = id
        self.isOwn = isOwn
        self.silentMilliseconds = silentMilliseconds
        self.keysDigest = keysDigest
    }

    /// Whether it counts as dead: its leases go to the others.
    package var isDead: Bool { silentMilliseconds >= Self.deadMilliseconds }
}

extension KeyUse: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        since.convertTimes(convert)
        usedAt.convertTimes(convert)
    }
}
