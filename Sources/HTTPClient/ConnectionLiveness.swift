internal import Time

/// The time of the last response on each connection, to distinguish a dead connection from one slow stream.
struct ConnectionLiveness {
    // By descriptor. Descriptors are reused, so there are never more entries than the most connections at one time.
    private var lastSuccess: [Int32: MonotonicMilliseconds] = [:]

    mutating func succeeded(_ connection: Int32, now: MonotonicMilliseconds) {
        lastSuccess[connection] = now
    }

    /// Whether no response has arrived on it since a given time.
    func isSilent(_ connection: Int32, since moment: MonotonicMilliseconds) -> Bool {
        (lastSuccess[connection] ?? 0) <= moment
    }
}
