internal import Core

/// The devices that a provider wants left alone for a while.
///
/// It is a value: the caller locks. Times are milliseconds of a clock that only goes forward.
struct DeviceDelays: Sendable {
    /// How many are remembered; of more than that the provider has to say it again.
    static let limit = 10_000

    // By the digest of the token, which is the device's name at its provider.
    private var ends: [[UInt8]: UInt64] = [:]

    /// Takes in that nothing is to be sent for so long.
    mutating func add(_ token: PushToken, milliseconds: UInt64, now: UInt64) {
        if ends.count >= Self.limit { ends = ends.filter { $0.value > now } }
        guard ends.count < Self.limit else { return }
        ends[token.digest] = max(ends[token.digest] ?? 0, now + milliseconds)
    }

    /// How long still nothing is to be sent, in milliseconds; nil when something may.
    func remaining(_ token: PushToken, now: UInt64) -> UInt64? {
        guard let end = ends[token.digest], end > now else { return nil }
        return end - now
    }
}
