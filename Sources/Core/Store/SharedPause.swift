package import Time

/// A notifier's pause, found by one process and shared with all that use the store.
package struct SharedPause: Sendable, Equatable {
    /// At most one pause of each kind is in force.
    package enum Kind: String, Sendable {
        /// The receiver refuses the credentials or settings, or wants no more requests. Lasts until an attempt succeeds or an operator
        /// resumes the notifier.
        case misconfigured
        /// The receiver has requested fewer attempts. Ends at `until`.
        case slowDown = "slow_down"
    }

    package let kind: Kind
    /// The stable reason of the attempt that caused the pause.
    package let reason: String
    /// Time of the next attempt by the process that found the pause; `max` for none.
    package private(set) var until: UnixMilliseconds
    /// Whether this process has reported it; set by the store only.
    package let isOwn: Bool

    package init(_ kind: Kind, reason: String, until: UnixMilliseconds, isOwn: Bool = false) {
        self.kind = kind
        self.reason = reason
        self.until = until
        self.isOwn = isOwn
    }
}

package enum PauseUpdate: Sendable, Equatable {
    /// Replaces an earlier pause of its kind.
    case begins(SharedPause)
    /// The notifier is not misconfigured any more: an attempt has succeeded, or an operator has resumed it.
    case ends

    package var kind: SharedPause.Kind { if case .begins(let pause) = self { pause.kind } else { .misconfigured } }
}

extension SharedPause: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        until.convertTimes(convert)
    }
}

extension PauseUpdate: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        switch self {
        case .begins(let pause): self = .begins(pause.converted(convert))
        case .ends: break
        }
    }
}
