internal import Core
internal import Time

/// Keeps calls within the help desk's limits: one for a person in 300 seconds, five for an installation of an app.
///
/// What waits is kept by nobody here: the caller comes again. It is a value: the caller locks. It begins anew with the process, so
/// that the calls just after a restart may be one too many, which the help desk then refuses.
struct PyrusPace: Sendable {
    /// The limits' window. A call exactly as long after another is allowed. It is longer than any call lasts, so that two calls for a person never
    /// overtake each other: what was claimed while the other one ran comes when that has long ended.
    static let windowMilliseconds: UInt64 = 300_000
    /// How many calls an installation has in a window.
    static let callsPerInstallation = 5

    // Installations and persons are devices without the rest of their key.
    private var calls: [Device.Key: [MonotonicMilliseconds]] = [:]
    private var forgottenAt: MonotonicMilliseconds = 0

    /// Has counted nothing yet.
    init() {}

    /// Decides about a call that concerns a device.
    /// - Returns: after how many milliseconds to come again; nil when it may be made now, and is counted.
    mutating func admit(_ key: Device.Key, now: MonotonicMilliseconds) -> UInt64? {
        forget(now)
        let limits = Self.limits(key)
        let free = limits.map { limit in freeAt(limit.key, limit.calls, now) }.max() ?? now
        guard free <= now else { return free - now }
        for limit in limits { calls[limit.key, default: []].append(now) }
        return nil
    }

    /// Takes back the last call that was counted for a device, because it never reached the help desk.
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

    /// Forgets what is too old, now and then.
    private mutating func forget(_ now: MonotonicMilliseconds) {
        guard now >= forgottenAt + Self.windowMilliseconds else { return }
        forgottenAt = now
        calls = calls.filter { $0.value.contains { now < $0 + Self.windowMilliseconds } }
    }
}
