internal import Core

/// The devices and the limits of a memory store.
struct MemoryDevices {
    /// A device that is registered, or that has signed out.
    struct Entry {
        var device: Device
        var hasSignedOut = false
        /// Whether its app itself said so, which no webhook changes.
        var isFromApp: Bool
    }

    /// Whose calls are counted together.
    private struct WindowKey: Hashable {
        let scope: LimitRule.Scope
        let key: Device.Key

        init(_ scope: LimitRule.Scope, _ key: Device.Key) {
            self.scope = scope
            self.key = Device.Key(
                appID: scope == .service ? "" : key.appID, userID: scope == .user ? key.userID : "",
                deviceID: scope == .device ? key.deviceID : "")
        }
    }

    private var entries: [Device.Key: Entry] = [:]
    private var calls: [WindowKey: [UInt64]] = [:]

    /// A registered device.
    func device(_ key: Device.Key) -> Device? {
        entries[key].flatMap { $0.hasSignedOut ? nil : $0.device }
    }

    /// A device, also when it has signed out.
    func entry(_ key: Device.Key) -> Entry? { entries[key] }

    /// The entries of a person, in the order of the devices' bytes.
    func entries(appID: String, userID: String) -> [Entry] {
        sorted { $0.appID.utf8.elementsEqual(appID.utf8) && $0.userID.utf8.elementsEqual(userID.utf8) }
    }

    /// The entries that match, in the order of persons and devices.
    func entries(_ filter: DeviceFilter) -> [Entry] {
        sorted { key in
            key.appID.utf8.elementsEqual(filter.appID.utf8) && filter.userID.map { $0.utf8.elementsEqual(key.userID.utf8) } ?? true
                && filter.deviceID.map { $0.utf8.elementsEqual(key.deviceID.utf8) } ?? true
        }
    }

    /// Those not seen since a time, the longest first.
    func idle(seenBefore: UInt64) -> [Entry] {
        sorted { entries[$0].map { $0.device.seenAt < seenBefore } ?? false }.sorted { $0.device.seenAt < $1.device.seenAt }
    }

    /// Which registered device of an app has a token.
    func holder(of token: PushToken, appID: String) -> Entry? {
        entries.values.first { $0.device.key.appID.utf8.elementsEqual(appID.utf8) && !$0.hasSignedOut && $0.device.token == token }
    }

    mutating func put(_ entry: Entry) {
        entries[entry.device.key] = entry
    }

    /// Notes that the app has said what is known.
    mutating func touch(_ key: Device.Key, at time: UInt64) {
        guard let entry = entries[key] else { return }
        entries[key] = Entry(device: entry.device.seen(at: time), hasSignedOut: entry.hasSignedOut, isFromApp: true)
    }

    mutating func signOut(_ entry: Entry, isFromApp: Bool, at time: UInt64) {
        put(Entry(device: entry.device.seen(at: time), hasSignedOut: true, isFromApp: isFromApp))
    }

    /// Forgets a device, but not what keeps its limits.
    mutating func forget(_ key: Device.Key) {
        entries[key] = nil
    }

    /// Forgets what kept the limits of a device, or of a person.
    mutating func forgetCalls(_ scope: LimitRule.Scope, _ key: Device.Key) {
        calls[WindowKey(scope, key)] = nil
    }

    /// Forgets calls of persons and devices of whom none was noted since a time.
    mutating func forgetCalls(notedBefore time: UInt64) {
        calls = calls.filter { window, times in
            window.scope == .app || window.scope == .service || times.last.map { $0 >= time } ?? false
        }
    }

    /// Why a registration must wait; nil when it need not.
    func limit(_ wish: Registration) -> Registration.Outcome? {
        var longest: (rule: LimitRule, until: UInt64)?
        for rule in wish.rules {
            let times = calls[WindowKey(rule.scope, wish.key)] ?? []
            let earliest = times.count < rule.max ? nil : times[times.count - rule.max]
            guard let until = rule.allowedAt(earliest: earliest, now: wish.now), until > longest?.until ?? 0 else { continue }
            longest = (rule, until)
        }
        return longest.map { .limited(rule: $0.rule, until: $0.until) }
    }

    /// Notes an allowed registration.
    mutating func record(_ wish: Registration) {
        for scope in LimitRule.Scope.allCases {
            guard let most = wish.rules.lazy.filter({ $0.scope == scope }).map(\.max).max() else { continue }
            calls[WindowKey(scope, wish.key), default: []].append(wish.now)
            let key = WindowKey(scope, wish.key)
            calls[key] = calls[key]?.suffix(most)
        }
    }

    private func sorted(_ isMeant: (Device.Key) -> Bool) -> [Entry] {
        entries.values.filter { isMeant($0.device.key) }.sorted { $0.device.key < $1.device.key }
    }
}

extension Device {
    func seen(at time: UInt64) -> Device {
        Device(key: key, type: type, token: token, environment: environment, registeredAt: registeredAt, seenAt: time)
    }

    func taken(by environment: String) -> Device {
        Device(key: key, type: type, token: token, environment: environment, registeredAt: registeredAt, seenAt: seenAt)
    }
}

extension Device.Key {
    /// The order of a list: by app, person and device, as bytes.
    static func < (left: Self, right: Self) -> Bool {
        for (one, other) in [(left.appID, right.appID), (left.userID, right.userID)] where !one.utf8.elementsEqual(other.utf8) {
            return one.utf8.lexicographicallyPrecedes(other.utf8)
        }
        return left.deviceID.utf8.lexicographicallyPrecedes(right.deviceID.utf8)
    }
}
