package import Time

/// Why a notifier starts no attempts, as one process has found out and tells all that share the store.
package struct SharedPause: Sendable, Equatable {
    /// What stops the notifier. One of each kind may hold at a time.
    package enum Kind: String, Sendable {
        /// Its receiver refuses our credentials or settings, or wants nothing more. Holds until an attempt succeeds or somebody resumes it.
        case misconfigured
        /// Its receiver has asked for fewer attempts. Ends by itself.
        case slowDown = "slow_down"
    }

    package let kind: Kind
    /// The reason of the attempt that found it out, in a stable word.
    package let reason: String
    /// When the process that has found it out tries again; `max` when it does not.
    package private(set) var until: UnixMilliseconds
    /// Whether this process has told it; only a store sets it.
    package let isOwn: Bool

    package init(_ kind: Kind, reason: String, until: UnixMilliseconds, isOwn: Bool = false) {
        self.kind = kind
        self.reason = reason
        self.until = until
        self.isOwn = isOwn
    }
}

/// What a process tells the others of a notifier's pauses.
package enum PauseUpdate: Sendable, Equatable {
    /// A pause begins, in place of an earlier one of its kind.
    case begins(SharedPause)
    /// The notifier is misconfigured no more: an attempt has succeeded, or somebody has resumed it.
    case ends

    package var kind: SharedPause.Kind { if case .begins(let pause) = self { pause.kind } else { .misconfigured } }
}

extension SharedPause: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        until.convertMoments(convert)
    }
}

extension PauseUpdate: Timestamped {
    package mutating func convertMoments(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        switch self {
        case .begins(let pause): self = .begins(pause.converted(convert))
        case .ends: break
        }
    }
}
