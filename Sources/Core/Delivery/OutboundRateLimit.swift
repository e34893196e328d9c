package import Time

/// Limits calls to a notifier's receiver about one person or one device: at most `max` in any window of that length.
///
/// The store counts calls in the claim's transaction (`Claim.rateLimits`), so the limit holds across replicas and restarts. The window must
/// be longer than a lease, so that two calls for a person never overlap or overtake each other.
package struct OutboundRateLimit: Sendable, Equatable {
    /// The unit whose calls are counted together.
    package enum Scope: String, Sendable {
        case person
        /// One device of an app, regardless of the user.
        case device
    }

    package let scope: Scope
    /// At least 1.
    package let max: Int
    /// The window's length in milliseconds. A call exactly as long after another is allowed.
    package let windowMilliseconds: UInt64

    /// Makes a rule; one that allows nothing or has no window is a programmer's mistake and traps.
    package init(per scope: Scope, max: Int, windowMilliseconds: UInt64) {
        precondition(max > 0 && windowMilliseconds > 0, "a rule allows something in a time")
        self.scope = scope
        self.max = max
        self.windowMilliseconds = windowMilliseconds
    }

    /// When the next call is allowed: now, or up to one window later.
    /// - Parameter calls: the last ones, none of them later than now.
    package func allowedAt(after calls: CallTimes, now: UnixMilliseconds) -> UnixMilliseconds {
        guard let earliest = calls.earliest(ofLast: max) else { return now }
        return Swift.max(now, earliest + windowMilliseconds)
    }
}

/// The call that an attempt makes, and the rules that count it.
package struct RateLimitedCall: Sendable, Equatable {
    /// The person and device in the receiver's call.
    package let device: Device.Key
    /// At most one of each scope.
    package let rules: [OutboundRateLimit]

    /// The call for a delivery; nil when there is no rule or when its attempt makes no call.
    ///
    /// A notifier with rules calls its receiver only for changes of the registry that still hold, and must end every other delivery without
    /// a call.
    /// - Parameter rules: the notifier's; two of one scope are a programmer's mistake and trap.
    package init?(_ delivery: Delivery, _ rules: [OutboundRateLimit]) {
        guard !rules.isEmpty, let change = RegistryChange.Payload(delivery.event), change.holds(for: delivery.device) else { return nil }
        precondition(Set(rules.map(\.scope)).count == rules.count, "a notifier has one rule of a scope")
        let event = delivery.event
        device = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: event.identity.deviceID)
        self.rules = rules
    }
}
