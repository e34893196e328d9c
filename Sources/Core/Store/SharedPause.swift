package import Time

/// A notifier's pause that one process has detected and shares with all processes that use the store.
package struct SharedPause: Sendable, Equatable {
    /// The kind of pause. At most one pause of each kind is active.
    package enum Kind: String, Sendable {
        /// The receiver rejects the credentials or settings, or has requested no further requests. The pause lasts until an attempt
        /// succeeds or an operator resumes the notifier.
        case misconfigured
        /// The receiver has requested fewer attempts. The pause ends at `until`.
        case slowDown = "slow_down"
    }

    package let kind: Kind
    /// The stable reason of the attempt that caused the pause.
    package let reason: String
    /// The time of the next attempt by the process that detected the pause; `max` if there is none.
    package private(set) var until: UnixMilliseconds
    /// Whether this process has reported the pause. Only the store sets it.
    package let isOwn: Bool

    package init(_ kind: Kind, reason: String, until: UnixMilliseconds, isOwn: Bool = false) {
        self.kind = kind
        self.reason = reason
        self.until = until
        self.isOwn = isOwn
    }
}

package enum PauseUpdate: Sendable, Equatable {
    /// A pause has begun. It replaces an earlier pause of the same kind.
    case begins(SharedPause)
    /// The notifier is no longer misconfigured: an attempt has succeeded, or an operator has resumed the notifier.
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
