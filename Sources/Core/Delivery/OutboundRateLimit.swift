package import Time

/// The maximum number of calls to a notifier's receiver about one person or one device in any window of the given length.
///
/// The store counts calls when it claims deliveries (`Claim.rateLimits`), so the limit applies across all processes that share the store,
/// and across restarts. The window must be longer than a lease, so that two calls about a person never overlap or arrive in the wrong
/// order.
package struct OutboundRateLimit: Sendable, Equatable {
    /// The unit whose calls are counted together.
    package enum Scope: String, Sendable {
        /// One person of an app.
        case person
        /// One device of an app, regardless of the signed-in user.
        case device
    }

    package let scope: Scope
    /// The maximum number of calls in a window; at least 1.
    package let max: Int
    /// The length of the window. A call exactly this long after another is allowed.
    package let windowMilliseconds: UInt64

    package init(per scope: Scope, max: Int, windowMilliseconds: UInt64) {
        precondition(max > 0 && windowMilliseconds > 0, "the maximum and the window must be positive")
        self.scope = scope
        self.max = max
        self.windowMilliseconds = windowMilliseconds
    }

    /// Returns the time of the next allowed call: now, or up to one window later.
    /// - Parameter calls: the last calls, none later than now.
    package func allowedAt(after calls: CallTimes, now: UnixMilliseconds) -> UnixMilliseconds {
        guard let earliest = calls.earliest(ofLast: max) else { return now }
        return Swift.max(now, earliest + windowMilliseconds)
    }
}

package struct RateLimitedCall: Sendable, Equatable {
    /// The person and the device that the call is about.
    package let device: Device.Key
    /// The rules that apply to the call, with at most one per scope.
    package let rules: [OutboundRateLimit]

    /// Returns nil when there are no rules, or when the attempt makes no call. A notifier with rules calls its receiver only for registry
    /// changes that are still current, and must end every other delivery without a call.
    package init?(_ delivery: Delivery, _ rules: [OutboundRateLimit]) {
        guard !rules.isEmpty, let change = RegistryChange.Payload(delivery.event), change.holds(for: delivery.device) else { return nil }
        precondition(Set(rules.map(\.scope)).count == rules.count, "a notifier may have only one rule per scope")
        let event = delivery.event
        device = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: event.identity.deviceID)
        self.rules = rules
    }
}
