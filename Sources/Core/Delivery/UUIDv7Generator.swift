/// Makes numbers that only rise, whatever the clock does, RFC 9562 section 6.2 method 2; callers on several threads lock it.
///
/// After the clock was set back, numbers keep the last time from before until the clock has passed it.
package struct UUIDv7Generator: Sendable {
    private var milliseconds: UInt64 = 0
    private var tail: UUIDv7.Tail?

    /// Makes a generator; two of them, even in one process, are unique beside each other but not in order.
    package init() {}

    /// The next number, larger than all before it; `random` must be unpredictable and new on each call.
    package mutating func next(milliseconds now: UInt64, random: InlineArray<10, UInt8>) -> UUIDv7 {
        let next = following(now: min(now, UUIDv7.latestMilliseconds), random: random)
        precondition(next.milliseconds <= UUIDv7.latestMilliseconds, "the numbers of the year 10889 are used up")
        (milliseconds, tail) = next
        return UUIDv7(milliseconds: next.milliseconds, tail: next.tail)
    }

    // When a millisecond's numbers are used up, time runs ahead of the clock, as the RFC allows.
    private func following(now: UInt64, random: InlineArray<10, UInt8>) -> (milliseconds: UInt64, tail: UUIDv7.Tail) {
        guard let tail, now <= milliseconds else { return (now, UUIDv7.Tail(random)) }
        guard let larger = tail.increased(random) else { return (milliseconds + 1, UUIDv7.Tail(random)) }
        return (milliseconds, larger)
    }
}
