internal import Bytes
package import Time

/// A device that a person's app has registered for notifications.
package struct Device: Sendable, Equatable {
    package struct Key: Sendable, Hashable, Comparable {
        package let appID: String
        package let userID: String
        /// The app's installation; not empty.
        package let deviceID: String

        package init(appID: String, userID: String, deviceID: String) {
            self.appID = appID
            self.userID = userID
            self.deviceID = deviceID
        }

        /// Compared as bytes: Swift's strings are equal when Unicode calls them so.
        package static func == (left: Self, right: Self) -> Bool {
            ByteKey(left.appID) == ByteKey(right.appID) && ByteKey(left.userID) == ByteKey(right.userID)
                && ByteKey(left.deviceID) == ByteKey(right.deviceID)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ByteKey(appID))
            hasher.combine(ByteKey(userID))
            hasher.combine(ByteKey(deviceID))
        }

        /// The order of lists: by app, person and device, as bytes.
        package static func < (left: Self, right: Self) -> Bool {
            for (one, other) in [(left.appID, right.appID), (left.userID, right.userID)] where !one.hasSameBytes(as: other) {
                return one.utf8.lexicographicallyPrecedes(other.utf8)
            }
            return left.deviceID.utf8.lexicographicallyPrecedes(right.deviceID.utf8)
        }
    }

    /// The longest type, in UTF-16 code units.
    package static let longestType = 32

    package let key: Key
    /// The type in the app's own words, such as `ios`, at most `longestType`; it selects the notifier.
    package let type: String
    package let token: PushToken
    /// The provider's environment that accepted a push for the token, or the provider's name where it has one; nil while none has.
    package let environment: String?
    /// Since when it has this token and type.
    package private(set) var registeredAt: UnixMilliseconds
    package private(set) var seenAt: UnixMilliseconds

    package init(
        key: Key, type: String, token: PushToken, environment: String? = nil, registeredAt: UnixMilliseconds, seenAt: UnixMilliseconds
    ) {
        self.key = key
        self.type = type
        self.token = token
        self.environment = environment
        self.registeredAt = registeredAt
        self.seenAt = seenAt
    }
}

package enum DeviceTypes: Sendable, Equatable {
    case all
    case only([String])
    /// All but these.
    case except([String])

    /// Whether a type is among them; nil is an unknown type.
    package func contains(_ type: String?) -> Bool {
        switch self {
        case .all: true
        case .only(let types): Self.names(types, type)
        case .except(let types): !Self.names(types, type)
        }
    }

    private static func names(_ types: [String], _ type: String?) -> Bool {
        guard let type else { return false }
        return types.contains { $0.hasSameBytes(as: type) }
    }
}

extension Device: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        registeredAt.convertTimes(convert)
        seenAt.convertTimes(convert)
    }
}
