import Core
import Time

/// A simple model of limits and the registry: a list of all allowed calls and a list of devices.
///
/// For monotonic clocks, persons with few devices, and ASCII names, which Swift compares as bytes.
struct RegistryModel {
    private struct Entry {
        let key: Device.Key
        var type: String
        /// Nil when it has signed out.
        var token: String?
        var lastToken: String?
        var registeredAt: UnixMilliseconds
        var seenAt: UnixMilliseconds
        /// Whether the app itself registered or signed out the device.
        var isReportedByApp: Bool
    }

    private var allowed: [(key: Device.Key, at: UnixMilliseconds)] = []
    private var entries: [Entry] = []
    private(set) var reported: [String] = []

    /// The registered devices of an app as texts, in the order of bytes.
    func devices(app: String) -> [String] {
        entries.filter { $0.token != nil && $0.key.appID == app }.sorted { left, right in
            (left.key.userID, left.key.deviceID) < (right.key.userID, right.key.deviceID)
        }.map { "\($0.key.userID) \($0.key.deviceID) \($0.type) \($0.token ?? "") \($0.registeredAt) \($0.seenAt)" }
    }

    mutating func register(_ payload: Registration) -> Registration.Outcome {
        guard let token = payload.token?.text else { return unsubscribe(payload) }
        if let limited = limit(payload) { return limited }
        allowed.append((payload.key, payload.now))
        if let index = index(payload.key), entries[index].token == token, entries[index].type == payload.type {
            entries[index].seenAt = payload.now
            entries[index].isReportedByApp = true
            return .unchanged
        }
        put(payload.key, type: payload.type, token: token, at: payload.now, isReportedByApp: true)
        return .registered
    }

    mutating func learn(_ token: String, type: String?, key: Device.Key, at time: UnixMilliseconds) {
        let known = index(key).map { entries[$0] }
        if let known, known.isReportedByApp || known.lastToken == token { return }
        guard !entries.contains(where: { $0.key.appID == key.appID && $0.token == token && $0.isReportedByApp }) else { return }
        let holder = entries.first { $0.key.appID == key.appID && $0.token == token }
        let isSignedOut = entries.contains {
            $0.key.appID == key.appID && $0.key.userID == key.userID && $0.token == nil && $0.lastToken == token
        }
        if isSignedOut, holder?.key.userID != key.userID { return }
        put(key, type: type ?? known?.type ?? "", token: token, at: time, isReportedByApp: false)
    }

    private func limit(_ payload: Registration) -> Registration.Outcome? {
        var waits: [(rule: LimitRule, until: UnixMilliseconds)] = []
        for rule in payload.rules {
            let inWindow = allowed.filter {
                isTogether(rule.scope, left: $0.key, right: payload.key) && payload.now < $0.at + rule.windowMilliseconds
            }
            guard inWindow.count >= rule.max else { continue }
            // The time when enough calls have left the window to allow another one.
            let leaving = inWindow.map(\.at).sorted()[inWindow.count - rule.max]
            waits.append((rule, leaving + rule.windowMilliseconds))
        }
        guard let latest = waits.map(\.until).max(), let wait = waits.first(where: { $0.until == latest }) else { return nil }
        return .limited(rule: wait.rule, until: wait.until)
    }

    private func isTogether(_ scope: LimitRule.Scope, left: Device.Key, right: Device.Key) -> Bool {
        switch scope {
        case .service: true
        case .app: left.appID == right.appID
        case .user: left.appID == right.appID && left.userID == right.userID
        case .device: left.appID == right.appID && left.deviceID == right.deviceID
        }
    }

    private mutating func unsubscribe(_ payload: Registration) -> Registration.Outcome {
        guard let index = index(payload.key) else {
            entries.append(
                Entry(
                    key: payload.key, type: payload.type, token: nil, lastToken: nil, registeredAt: payload.now, seenAt: payload.now,
                    isReportedByApp: true)
            )
            return .unchanged
        }
        entries[index].seenAt = payload.now
        entries[index].isReportedByApp = true
        guard let token = entries[index].token else { return .unchanged }
        entries[index].token = nil
        reported.append("unsubscribed \(payload.key.userID) \(payload.key.deviceID) \(token)")
        return .removed
    }

    private mutating func put(_ key: Device.Key, type: String, token: String, at time: UnixMilliseconds, isReportedByApp: Bool) {
        for index in entries.indices
        where entries[index].token == token && entries[index].key.appID == key.appID && entries[index].key != key {
            entries[index].token = nil
            entries[index].seenAt = time
            reported.append("moved \(entries[index].key.userID) \(entries[index].key.deviceID) \(token)")
        }
        entries.removeAll { $0.key == key }
        entries.append(
            Entry(key: key, type: type, token: token, lastToken: token, registeredAt: time, seenAt: time, isReportedByApp: isReportedByApp))
        reported.append("registered \(key.userID) \(key.deviceID) \(token)")
    }

    private func index(_ key: Device.Key) -> Int? { entries.firstIndex { $0.key == key } }
}
