/// A pause of a breaker, in which at most a probe may start at a time.
struct Pause: Sendable, Equatable {
    /// Its reason.
    let reason: BreakerState.PauseReason
    /// Whether a probe is under way.
    var isProbing = false
    private let probeAfterMilliseconds: UInt64?
    /// The time before the next probe; nil when there is none.
    private var wait: Wait?
    private var isOver = false

    /// Begins now.
    /// - Parameter probeAfterMilliseconds: how long to wait before each probe; nil for none at all.
    init(_ reason: BreakerState.PauseReason, probeAfterMilliseconds: UInt64?, nowMilliseconds: UInt64) {
        self.reason = reason
        self.probeAfterMilliseconds = probeAfterMilliseconds
        probeEnded(nowMilliseconds: nowMilliseconds)
    }

    /// Whether a probe may start, as of the last `pass`.
    var permitsProbe: Bool { isOver && !isProbing }

    /// When a probe may start, in Unix milliseconds; nil when there is none or one is under way.
    var probeAtMilliseconds: UInt64? { isProbing ? nil : wait?.endMilliseconds }

    /// Updates `permitsProbe` for the time.
    mutating func pass(nowMilliseconds: UInt64) {
        isOver = wait?.isOver(nowMilliseconds: nowMilliseconds) == true
    }

    /// Ends a probe that has failed: the next one waits again.
    mutating func probeEnded(nowMilliseconds: UInt64) {
        isProbing = false
        isOver = false
        wait = probeAfterMilliseconds.map { Wait(nowMilliseconds: nowMilliseconds, lengthMilliseconds: $0) }
    }
}
