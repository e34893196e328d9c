internal import Core
internal import Time

/// The devices for which a provider has requested a pause.
///
/// This type is not synchronized: the caller must hold a lock.
struct DeviceDelays: Sendable {
    /// The maximum number of stored devices. For further devices, the provider must repeat its request.
    static let limit = 10_000

    // The ends of the pauses by the digest of the token.
    private var ends: [[UInt8]: MonotonicMilliseconds] = [:]

    /// Records that nothing may be sent to a device for the given time.
    mutating func add(_ token: PushToken, milliseconds: UInt64, now: MonotonicMilliseconds) {
        if ends.count >= Self.limit { ends = ends.filter { $0.value > now } }
        guard ends.count < Self.limit else { return }
        ends[token.digest] = max(ends[token.digest] ?? 0, now + milliseconds)
    }

    /// Returns the milliseconds for which nothing may be sent; nil when sending is allowed.
    func remaining(_ token: PushToken, now: MonotonicMilliseconds) -> UInt64? {
        guard let end = ends[token.digest], end > now else { return nil }
        return end - now
    }
}
