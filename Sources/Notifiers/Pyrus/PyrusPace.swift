internal import Core

/// Keeps calls within the help desk's limits: one for a person in 300 seconds, five for an installation of an app.
///
/// What waits is kept by nobody here: the caller comes again. It is a value: the caller locks. Times are milliseconds of a clock that only goes
/// forward. It begins anew with the process, so that the calls just after a restart may be one too many, which the help desk then refuses.
struct PyrusPace: Sendable {
    /// What may be done about a registration.
    enum Verdict: Sendable, Equatable {
        /// Tell the help desk; the call is counted.
        case call
        /// Come again after so many milliseconds.
        case wait(milliseconds: UInt64)
        /// Nothing: a later one of the same device has come.
        case superseded
    }

    /// The limits' window. A call exactly as long after another is allowed.
    static let windowMilliseconds: UInt64 = 300_000
    /// How many calls an installation has in a window.
    static let callsPerInstallation = 5
    /// How long a device's last registration is remembered, in milliseconds; older events have expired by then.
    static let memoryMilliseconds: UInt64 = 86_400_000

    private struct Latest {
        let order: PyrusOrder
        let seenAt: UInt64
    }

    // Installations and persons are devices without the rest of their key.
    private var latest: [Device.Key: Latest] = [:]
    private var calls: [Device.Key: [UInt64]] = [:]
    private var forgottenAt: UInt64 = 0

    /// Decides about a registration.
    mutating func admit(_ registration: PyrusRegistration, now: UInt64) -> Verdict {
        forget(now)
        if let known = latest[registration.key], registration.order < known.order { return .superseded }
        latest[registration.key] = Latest(order: registration.order, seenAt: now)
        let limits = Self.limits(registration.key)
        let free = limits.map { limit in freeAt(limit.key, limit.calls, now) }.max() ?? now
        guard free <= now else { return .wait(milliseconds: free - now) }
        for limit in limits { calls[limit.key, default: []].append(now) }
        return .call
    }

    /// Takes back the last call that was counted for a registration, because it never reached the help desk.
    mutating func giveBack(_ registration: PyrusRegistration) {
        for limit in Self.limits(registration.key) { _ = calls[limit.key]?.popLast() }
    }

    private static func limits(_ key: Device.Key) -> [(key: Device.Key, calls: Int)] {
        [
            (Device.Key(appID: key.appID, userID: key.userID, deviceID: ""), 1),
            (Device.Key(appID: key.appID, userID: "", deviceID: key.deviceID), callsPerInstallation),
        ]
    }

    private mutating func freeAt(_ key: Device.Key, _ count: Int, _ now: UInt64) -> UInt64 {
        let recent = calls[key]?.filter { now < $0 + Self.windowMilliseconds } ?? []
        calls[key] = recent.isEmpty ? nil : recent
        return recent.count < count ? now : recent[recent.count - count] + Self.windowMilliseconds
    }

    /// Forgets what is too old, now and then.
    private mutating func forget(_ now: UInt64) {
        guard now >= forgottenAt + Self.windowMilliseconds else { return }
        forgottenAt = now
        calls = calls.filter { $0.value.contains { now < $0 + Self.windowMilliseconds } }
        latest = latest.filter { now < $0.value.seenAt + Self.memoryMilliseconds }
    }
}
