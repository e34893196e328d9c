package import Time

/// The last use of an app's key for authorization, across all processes that share the store.
package struct KeyUse: Sendable, Equatable {
    package struct Name: Hashable, Comparable, Sendable {
        package let app: ByteKey
        /// The key's number within the app.
        package let keyID: UInt32

        package init(app: ByteKey, keyID: UInt32) {
            self.app = app
            self.keyID = keyID
        }

        package static func < (left: Name, right: Name) -> Bool { (left.app, left.keyID) < (right.app, right.keyID) }
    }

    package let appID: String
    package let keyID: UInt32
    /// The start of the record. Earlier uses are unknown.
    package private(set) var since: UnixMilliseconds
    /// The time of the last use, to the minute; nil if the key was not used since `since`.
    package private(set) var usedAt: UnixMilliseconds?

    package init(appID: String, keyID: UInt32, since: UnixMilliseconds, usedAt: UnixMilliseconds?) {
        self.appID = appID
        self.keyID = keyID
        self.since = since
        self.usedAt = usedAt
    }

    package var name: Name { Name(app: ByteKey(appID), keyID: keyID) }

    /// The latest possible time of use: the last recorded use, or the start of the record.
    package var lastPossibleUse: UnixMilliseconds { usedAt.map { max($0, since) } ?? since }

    /// Returns the merged record of two records of one key.
    package func merged(with other: KeyUse) -> KeyUse {
        KeyUse(appID: appID, keyID: keyID, since: min(since, other.since), usedAt: [usedAt, other.usedAt].compactMap(\.self).max())
    }
}

/// A process that shares the store, in its state at the last heartbeat.
package struct Replica: Sendable, Equatable {
    /// The time, in milliseconds, without a heartbeat after which a process is considered dead.
    package static let deadMilliseconds: UInt64 = TimeLimit.milliseconds(30_000)

    /// A random id.
    package let id: String
    package let isOwn: Bool
    /// The time between the last heartbeats of that process and this process, in milliseconds.
    package let silentMilliseconds: UInt64
    /// The digest of its current keys (`Authorizer.keysDigest`); nil for older versions and commands, which report none.
    package let keysDigest: String?

    package init(id: String, isOwn: Bool, silentMilliseconds: UInt64, keysDigest: String?) {
        self.id = id
        self.isOwn = isOwn
        self.silentMilliseconds = silentMilliseconds
        self.keysDigest = keysDigest
    }

    /// Whether the process is considered dead, so that its leases are released to the other processes.
    package var isDead: Bool { silentMilliseconds >= Self.deadMilliseconds }
}

extension KeyUse: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        since.convertTimes(convert)
        usedAt.convertTimes(convert)
    }
}
