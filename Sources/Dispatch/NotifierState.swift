internal import Core

/// How a notifier does, as metrics say it.
enum NotifierState: String, Sendable, CaseIterable {
    /// The last try succeeded, or there was none yet.
    case working
    /// The last try failed, or the receiver has asked for less; tries go on.
    case failing
    /// Too many tries failed in a row: nothing starts for a while.
    case open
    /// That while is over: one try finds out.
    case halfOpen = "half_open"
    /// Its settings were refused, or its receiver wants nothing more: the log and `deskgate status` tell what to do.
    case paused

    /// What a breaker's state amounts to.
    init(_ breaker: Breaker) {
        switch breaker.state {
        case .closed: self = breaker.isFailing ? .failing : .working
        case .open: self = .open
        case .halfOpen: self = .halfOpen
        case .paused: self = .paused
        }
    }
}
