import Core
import Time

/// A simple model of the registry: one list of devices and one of all allowed calls. Names are ASCII, so Swift's `==` compares bytes.
struct NaiveRegistry {
    struct Row: Equatable {
        let key: Device.Key
        var type: String
        var token: String?
        var lastToken: String?
        var environment: String?
        var registeredAt: UnixMilliseconds
        var seenAt: UnixMilliseconds
        var isReportedByApp: Bool
    }

    let devicesPerUser: Int
    /// Ordered by app, person and device.
    private(set) var rows: [Row] = []
    /// The announced changes: the reason, the device and token, and the time.
    private(set) var reported: [String] = []
    private var allowed: [(key: Device.Key, at: UnixMilliseconds, counted: Set<LimitRule.Scope>)] = []

    init(devicesPerUser: Int) {
        self.devicesPerUser = devicesPerUser
    }

    mutating func register(_ key: Device.Key, type: String, token: String, rules: [LimitRule], at now: UnixMilliseconds)
        -> Registration.Outcome
    {
        var worst: (rule: LimitRule, until: UnixMilliseconds)?
        for rule in rules {
            let together = allowed.filter { $0.counted.contains(rule.scope) && isTogether(rule.scope, left: $0.key, right: key) }.map(\.at)
            guard together.count >= rule.max else { continue }
            let first = together[together.count - rule.max]
            // A call more than a minute ahead was recorded before the clock was set back.
            if first > now + 60_000 || first + rule.windowMilliseconds <= now { continue }
            if first + rule.windowMilliseconds > worst?.until ?? 0 { worst = (rule, first + rule.windowMilliseconds) }
        }
        if let worst { return .limited(rule: worst.rule, until: worst.until) }
        allowed.append((key, now, Set(rules.map(\.scope))))
        if let index = index(key), rows[index].token == token, rows[index].type == type {
            rows[index].seenAt = now
            rows[index].isReportedByApp = true
            return .unchanged
        }
        write(key, type: type, token: token, isReportedByApp: true, at: now)
        return .registered
    }

    mutating func unsubscribe(_ key: Device.Key, _ type: String, at now: UnixMilliseconds) -> Registration.Outcome {
        guard let index = index(key) else {
            if ofPerson(key).count < devicesPerUser {
                add(Row(key: key, type: type, registeredAt: now, seenAt: now, isReportedByApp: true))
            }
            return .unchanged
        }
        if rows[index].token == nil {
            if rows[index].isReportedByApp, now <= rows[index].seenAt + 24 * 3600 * 1000 { return .unchanged }
            rows[index].seenAt = now
            rows[index].isReportedByApp = true
            return .unchanged
        }
        lose(index, "unsubscribed", at: now)
        rows[index].isReportedByApp = true
        return .removed
    }

    mutating func webhook(_ key: Device.Key, type: String?, token: String, at now: UnixMilliseconds) {
        if key.deviceID.isEmpty { return }
        let known = index(key).map { rows[$0] }
        if let known, known.isReportedByApp || known.lastToken == token { return keep(known, at: now) }
        if rows.contains(where: { $0.key.appID == key.appID && $0.token == token && $0.isReportedByApp }) { return }
        let holder = rows.first { $0.key.appID == key.appID && $0.token == token }
        let tombstone = ofPerson(key).first { rows[$0].token == nil && rows[$0].lastToken == token }
        if let tombstone, holder?.key.userID != key.userID { return keep(rows[tombstone], at: now) }
        if known == nil {
            let free = devicesPerUser - ofPerson(key).count + ofPerson(key).count { !rows[$0].isReportedByApp }
            if free < 1 { return }
        }
        let believed = type.flatMap { $0.count <= 32 ? $0 : nil }
        write(key, type: believed ?? known?.type ?? "", token: token, isReportedByApp: false, at: now)
    }

    private mutating func keep(_ row: Row, at now: UnixMilliseconds) {
        guard row.token == nil, now > row.seenAt + 24 * 3600 * 1000, let index = index(row.key) else { return }
        rows[index].seenAt = now
    }

    mutating func operatorRemoves(appID: String, userID: String, deviceID: String?, at now: UnixMilliseconds) -> Int {
        let chosen = rows.filter { $0.key.appID == appID && $0.key.userID == userID && (deviceID == nil || $0.key.deviceID == deviceID) }
        for row in chosen {
            if let index = index(row.key) { lose(index, "operator", at: now) }
        }
        return chosen.count { $0.token != nil }
    }

    /// Removes devices not seen since `time`, the longest unseen first, at most `limit`.
    mutating func idle(before time: UnixMilliseconds, limit: Int, at now: UnixMilliseconds) {
        for row in rows.filter({ $0.seenAt < time }).sorted(by: { $0.seenAt < $1.seenAt }).prefix(limit) {
            drop(row.key, "idle", at: now)
        }
    }

    mutating func providerKnowsNoMore(_ tried: Device, since: UnixMilliseconds?, at now: UnixMilliseconds) {
        guard let index = index(tried.key), rows[index].token == tried.token.text else { return }
        if let since { if rows[index].seenAt >= since { return } } else if rows[index].seenAt > tried.seenAt { return }
        lose(index, "gone", at: now)
        rows[index].isReportedByApp = false
    }

    mutating func providerTook(_ tried: Device, in environment: String) {
        guard let index = index(tried.key), rows[index].token == tried.token.text else { return }
        rows[index].environment = environment
    }

    /// The devices that a comment for a person is sent to.
    func targets(_ key: Device.Key) -> [String] {
        if let index = index(key) { return rows[index].token == nil ? [] : [key.deviceID] }
        return ofPerson(key).filter { rows[$0].token != nil }.map { rows[$0].key.deviceID }
    }

    private mutating func write(_ key: Device.Key, type: String, token: String, isReportedByApp: Bool, at now: UnixMilliseconds) {
        if let holder = rows.firstIndex(where: { $0.key.appID == key.appID && $0.token == token && $0.key != key }) {
            lose(holder, "moved", at: now)
        }
        while index(key) == nil, ofPerson(key).count >= devicesPerUser {
            let mayLeave = ofPerson(key).filter { isReportedByApp || !rows[$0].isReportedByApp }
            let tombstones = mayLeave.filter { rows[$0].token == nil }
            guard let first = (tombstones.isEmpty ? mayLeave : tombstones).min(by: { rows[$0].seenAt < rows[$1].seenAt }) else { break }
            drop(rows[first].key, "too_many_devices", at: now)
        }
        rows.removeAll { $0.key == key }
        add(Row(key: key, type: type, token: token, lastToken: token, registeredAt: now, seenAt: now, isReportedByApp: isReportedByApp))
        reported.append("registered \(key.appID) \(key.userID) \(key.deviceID) \(type) \(token) \(now)")
    }

    private mutating func lose(_ index: Int, _ reason: String, at now: UnixMilliseconds) {
        let row = rows[index]
        guard let token = row.token else { return }
        rows[index].token = nil
        rows[index].seenAt = now
        reported.append("\(reason) \(row.key.appID) \(row.key.userID) \(row.key.deviceID) \(row.type) \(token) \(now)")
    }

    private mutating func drop(_ key: Device.Key, _ reason: String, at now: UnixMilliseconds) {
        if let index = index(key) { lose(index, reason, at: now) }
        rows.removeAll { $0.key == key }
    }

    private mutating func add(_ row: Row) {
        rows.append(row)
        rows.sort { ($0.key.appID, $0.key.userID, $0.key.deviceID) < ($1.key.appID, $1.key.userID, $1.key.deviceID) }
    }

    private func index(_ key: Device.Key) -> Int? { rows.firstIndex { $0.key == key } }

    private func ofPerson(_ key: Device.Key) -> [Int] {
        rows.indices.filter { rows[$0].key.appID == key.appID && rows[$0].key.userID == key.userID }
    }

    private func isTogether(_ scope: LimitRule.Scope, left: Device.Key, right: Device.Key) -> Bool {
        switch scope {
        case .service: true
        case .app: left.appID == right.appID
        case .user: left.appID == right.appID && left.userID == right.userID
        case .device: left.appID == right.appID && left.deviceID == right.deviceID
        }
    }
}
