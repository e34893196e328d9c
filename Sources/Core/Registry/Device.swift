internal import Bytes
package import Time

/// A device that an app has registered for a user's notifications.
package struct Device: Sendable, Equatable {
    package struct Key: Sendable, Hashable, Comparable {
        /// The app id as received.
        package let appID: String
        package let userID: String
        /// The id of the app's installation; not empty.
        package let deviceID: String

        package init(appID: String, userID: String, deviceID: String) {
            self.appID = appID
            self.userID = userID
            self.deviceID = deviceID
        }

        /// Compares bytes: Swift compares strings by Unicode equivalence.
        package static func == (left: Self, right: Self) -> Bool {
            ByteKey(left.appID) == ByteKey(right.appID) && ByteKey(left.userID) == ByteKey(right.userID)
                && ByteKey(left.deviceID) == ByteKey(right.deviceID)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(ByteKey(appID))
            hasher.combine(ByteKey(userID))
            hasher.combine(ByteKey(deviceID))
        }

        package static func < (left: Self, right: Self) -> Bool {
            for (one, other) in [(left.appID, right.appID), (left.userID, right.userID)] where !one.hasSameBytes(as: other) {
                return one.utf8.lexicographicallyPrecedes(other.utf8)
            }
            return left.deviceID.utf8.lexicographicallyPrecedes(right.deviceID.utf8)
        }
    }

    /// The maximum length of a type, in UTF-16 code units.
    package static let longestType = 32

    package let key: Key
    /// The kind of device as the app names it, such as `ios`, at most `longestType`; selects the notifiers.
    package let type: String
    package let token: PushToken
    /// The provider's environment that has accepted a push for the token, or the provider's name if it has no environments; nil until a
    /// push was accepted.
    package let environment: String?
    /// The time since which the device has this token and type.
    package private(set) var registeredAt: UnixMilliseconds
    /// Time of the app's last registration.
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
    case except([String])

    /// Whether the set contains a type; nil is an unknown type.
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
