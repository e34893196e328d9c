package import Time

/// When a person and the person's devices last registered: what limits for a user and for a device count.
package struct RegistrationCalls: Sendable, Equatable {
    package private(set) var user: CallTimes
    /// The requested devices, in order.
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
    package let used: Int
    /// When the next call is allowed; nil when it is allowed now.
    package let nextAt: UnixMilliseconds?

    /// Counts the calls that a limit still counts.
    /// - Parameter calls: those that are counted together.
    package init(_ rule: LimitRule, _ calls: CallTimes, now: UnixMilliseconds) {
        self.rule = rule
        used = (1...rule.max).prefix { rule.allowedAt(earliest: calls.earliest(ofLast: $0), now: now) != nil }.last ?? 0
        nextAt = rule.allowedAt(earliest: calls.earliest(ofLast: rule.max), now: now)
    }
}
