internal import Time

/// When the reads of a connection are ended. It belongs to the connection's thread.
final class ReadingEnd {
    /// The end of the read that is under way.
    var moment = MonotonicMilliseconds.max
    private let isStopping: @Sendable () -> Bool

    /// - Parameter isStopping: whether reads end at once; it must not block.
    init(isStopping: @escaping @Sendable () -> Bool) {
        self.isStopping = isStopping
    }

    var hasCome: Bool { SystemClock.monotonicMilliseconds() >= moment || isStopping() }
}
