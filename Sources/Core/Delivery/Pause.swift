/// A time in which nothing may start but perhaps a probe now and then.
struct Pause: Sendable, Equatable {
    /// Why.
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

    /// Whether a probe may start; `pass` keeps it.
    var permitsProbe: Bool { isOver && !isProbing }

    /// When a probe may start, in Unix milliseconds; nil when there is none or one is under way.
    var probeAtMilliseconds: UInt64? { isProbing ? nil : wait?.endMilliseconds }

    /// Takes note of the time.
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
