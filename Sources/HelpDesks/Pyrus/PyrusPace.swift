internal import Core
internal import Time

/// Keeps relayed calls within the help desk's rate limits: one for a person in 300 seconds, five for an installation of an app.
///
/// It queues nothing: a caller that is too early must ask again later. It is a value; its owner provides the lock. The counts start at 0
/// with the process, so the help desk may refuse calls just after a restart.
struct PyrusPace: Sendable {
    /// The window of the limits. A call exactly one window after another one is allowed. The window is longer than any call takes, so two
    /// calls for a person never overtake each other: the second starts long after the first has ended.
    static let windowMilliseconds: UInt64 = 300_000
    /// How many calls an installation may make in a window.
    static let callsPerInstallation = 5

    // A person's key has an empty device, an installation's key an empty person.
    private var calls: [Device.Key: [MonotonicMilliseconds]] = [:]
    private var forgottenAt: MonotonicMilliseconds = 0

    /// Starts without counted calls.
    init() {}

    /// Decides on a call for a device.
    /// - Returns: nil when the call may be made now, and counts it; otherwise the milliseconds to wait before asking again.
    mutating func admit(_ key: Device.Key, now: MonotonicMilliseconds) -> UInt64? {
        forget(now)
        let limits = Self.limits(key)
        let free = limits.map { limit in freeAt(limit.key, limit.calls, now) }.max() ?? now
        guard free <= now else { return free - now }
        for limit in limits { calls[limit.key, default: []].append(now) }
        return nil
    }

    /// Uncounts the last call for a device, because it never reached the help desk.
    mutating func giveBack(_ key: Device.Key) {
        for limit in Self.limits(key) { _ = calls[limit.key]?.popLast() }
    }

    private static func limits(_ key: Device.Key) -> [(key: Device.Key, calls: Int)] {
        [
            (Device.Key(appID: key.appID, userID: key.userID, deviceID: ""), 1),
            (Device.Key(appID: key.appID, userID: "", deviceID: key.deviceID), callsPerInstallation),
        ]
    }

    private mutating func freeAt(_ key: Device.Key, _ count: Int, _ now: MonotonicMilliseconds) -> MonotonicMilliseconds {
        let recent = calls[key]?.filter { now < $0 + Self.windowMilliseconds } ?? []
        calls[key] = recent.isEmpty ? nil : recent
        return recent.count < count ? now : recent[recent.count - count] + Self.windowMilliseconds
    }

    /// Deletes old calls, at most once per window.
    private mutating func forget(_ now: MonotonicMilliseconds) {
        guard now >= forgottenAt + Self.windowMilliseconds else { return }
        forgottenAt = now
        calls = calls.filter { $0.value.contains { now < $0 + Self.windowMilliseconds } }
    }
}
