internal import Time

/// When each connection last carried a response, to distinguish a dead connection from one slow stream.
struct ConnectionLiveness {
    // By descriptor. Descriptors are reused, so there are never more entries than the most connections at one time.
    private var lastSuccess: [Int32: MonotonicMilliseconds] = [:]

    mutating func succeeded(_ connection: Int32, now: MonotonicMilliseconds) {
        lastSuccess[connection] = now
    }

    /// Whether no response has arrived on it since a moment.
    func isSilent(_ connection: Int32, since moment: MonotonicMilliseconds) -> Bool {
        (lastSuccess[connection] ?? 0) <= moment
    }
}
