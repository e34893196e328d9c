/// A wait of a fixed length, which never becomes longer when the clock is set back.
struct Wait: Sendable, Equatable {
    /// When it is over, in Unix milliseconds.
    private(set) var endMilliseconds: UInt64
    private let lengthMilliseconds: UInt64

    /// Begins now; an end that overflows counts as `UInt64.max`.
    init(nowMilliseconds now: UInt64, lengthMilliseconds: UInt64) {
        self.lengthMilliseconds = lengthMilliseconds
        endMilliseconds = Self.end(now, lengthMilliseconds)
    }

    /// Whether it is over. If more time is left than its length, the clock was set back, and the wait begins again.
    mutating func isOver(nowMilliseconds now: UInt64) -> Bool {
        if now < endMilliseconds, endMilliseconds - now > lengthMilliseconds { endMilliseconds = Self.end(now, lengthMilliseconds) }
        return now >= endMilliseconds
    }

    private static func end(_ now: UInt64, _ length: UInt64) -> UInt64 {
        let (end, isTooLarge) = now.addingReportingOverflow(length)
        return isTooLarge ? .max : end
    }
}
