internal import Time

/// The time at which a connection's reads are ended. Only the connection's thread may use it.
final class ReadingEnd {
    /// The end of the read in progress.
    var moment = MonotonicMilliseconds.max
    private let isStopping: @Sendable () -> Bool

    /// - Parameter isStopping: whether reads end at once; it must not block.
    init(isStopping: @escaping @Sendable () -> Bool) {
        self.isStopping = isStopping
    }

    var hasCome: Bool { SystemClock.monotonicMilliseconds() >= moment || isStopping() }
}
