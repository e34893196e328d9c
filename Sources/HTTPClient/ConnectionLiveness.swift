internal import Time

/// When each connection last carried a response, to tell one that is dead from one slow stream on a live one.
struct ConnectionLiveness {
    // By descriptor; those of closed connections are used again, so there are never more than connections at one time.
    private var lastSuccess: [Int32: MonotonicMilliseconds] = [:]

    /// A response came over it.
    mutating func succeeded(_ connection: Int32, now: MonotonicMilliseconds) {
        lastSuccess[connection] = now
    }

    /// Whether no response has come over it since a moment.
    func isSilent(_ connection: Int32, since moment: MonotonicMilliseconds) -> Bool {
        (lastSuccess[connection] ?? 0) <= moment
    }
}
