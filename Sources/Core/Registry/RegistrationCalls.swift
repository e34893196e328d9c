package import Time

/// The last registrations of a user and of devices, as counted by their limits.
package struct RegistrationCalls: Sendable, Equatable {
    package private(set) var user: CallTimes
    /// In the order of the requested devices.
    package private(set) var devices: [CallTimes]

    package init(user: CallTimes, devices: [CallTimes]) {
        self.user = user
        self.devices = devices
    }
}

extension RegistrationCalls: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        user.convertTimes(convert)
        devices.convertTimes(convert)
    }
}

package struct LimitUse: Sendable, Equatable {
    package let rule: LimitRule
    /// At most `rule.max`.
    package let used: Int
    /// Time of the next allowed call; nil when it is allowed now.
    package let nextAt: UnixMilliseconds?

    /// - Parameter calls: the calls of the rule's scope.
    package init(_ rule: LimitRule, _ calls: CallTimes, now: UnixMilliseconds) {
        self.rule = rule
        used = (1...rule.max).prefix { rule.allowedAt(earliest: calls.earliest(ofLast: $0), now: now) != nil }.last ?? 0
        nextAt = rule.allowedAt(earliest: calls.earliest(ofLast: rule.max), now: now)
    }
}
