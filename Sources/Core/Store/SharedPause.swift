package import Time

/// The reason why a notifier starts no attempts, as one process found it out and shares it with the others.
package struct SharedPause: Sendable, Equatable {
    /// One of each kind may hold at a time.
    package enum Kind: String, Sendable {
        /// The receiver rejects our credentials or settings, or accepts nothing any more. Holds until an attempt succeeds or an operator
        /// resumes it.
        case misconfigured
        /// The receiver asked for fewer attempts. Ends by itself.
        case slowDown = "slow_down"
    }

    package let kind: Kind
    /// The reason of the attempt that found it out, in a stable word.
    package let reason: String
    /// When the process that has found it out tries again; `max` when it does not.
    package private(set) var until: UnixMilliseconds
    /// Whether this process shared it; only a store sets it.
    package let isOwn: Bool

    package init(_ kind: Kind, reason: String, until: UnixMilliseconds, isOwn: Bool = false) {
        self.kind = kind
        self.reason = reason
        self.until = until
        self.isOwn = isOwn
    }
}

/// A change of a notifier's pauses for the other processes.
package enum PauseUpdate: Sendable, Equatable {
    /// A pause begins, in place of an earlier one of its kind.
    case begins(SharedPause)
    /// The notifier is no longer misconfigured: an attempt has succeeded, or an operator has resumed it.
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
