/// When each connection last carried a response, to tell one that is dead from one slow stream on a live one.
struct ConnectionLiveness {
    // By descriptor; those of closed connections are used again, so there are never more than connections at one time.
    private var lastSuccess: [Int32: UInt64] = [:]

    /// A response came over it.
    mutating func succeeded(_ connection: Int32, now: UInt64) {
        lastSuccess[connection] = now
    }

    /// Whether no response has come over it since a moment on the monotonic clock.
    func isSilent(_ connection: Int32, since moment: UInt64) -> Bool {
        (lastSuccess[connection] ?? 0) <= moment
    }
}
