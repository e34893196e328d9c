internal import Core
internal import SQLite

/// Whose calls are counted together, as the table `windows` names them.
private struct WindowKey {
    let app: Int64
    let userID: String
    let deviceID: String

    init(_ scope: LimitRule.Scope, _ key: Device.Key, _ app: Int64) {
        self.app = scope == .service ? 0 : app
        userID = scope == .user || scope == .device ? key.userID : ""
        deviceID = scope == .device ? key.deviceID : ""
    }
}

extension WritingDatabase {
    /// Why a registration must wait; nil when it need not.
    func limit(_ wish: Registration, _ app: Int64) throws(SQLiteError) -> Registration.Outcome? {
        var longest: (rule: LimitRule, until: UInt64)?
        for rule in wish.rules {
            let earliest = try earliestCall(WindowKey(rule.scope, wish.key, app), ofLast: rule.max)
            guard let until = rule.allowedAt(earliest: earliest, now: wish.now), until > longest?.until ?? 0 else { continue }
            longest = (rule, until)
        }
        return longest.map { .limited(rule: $0.rule, until: $0.until) }
    }

    /// Notes an allowed registration, and forgets what no rule can ask for any more.
    func record(_ wish: Registration, _ app: Int64) throws(SQLiteError) {
        for scope in LimitRule.Scope.allCases {
            guard let most = wish.rules.lazy.filter({ $0.scope == scope }).map(\.max).max() else { continue }
            let key = WindowKey(scope, wish.key, app)
            let number = (try lastCall(key) ?? 0) + 1
            try deviceStatements.insertCall.run(key.app, key.userID, key.deviceID, number, wish.now.stored)
            try deviceStatements.forgetCalls.run(key.app, key.userID, key.deviceID, number - Int64(most))
        }
    }

    /// When the first of the last calls came; nil when there were fewer.
    private func earliestCall(_ key: WindowKey, ofLast count: Int) throws(SQLiteError) -> UInt64? {
        guard let last = try lastCall(key) else { return nil }
        var time: UInt64?
        try deviceStatements.call.forEachRow(key.app, key.userID, key.deviceID, last - Int64(count) + 1) { row throws(SQLiteError) in
            time = try row.time(0)
        }
        return time
    }

    private func lastCall(_ key: WindowKey) throws(SQLiteError) -> Int64? {
        var last: Int64?
        try deviceStatements.lastCall.forEachRow(key.app, key.userID, key.deviceID) { row throws(SQLiteError) in last = try row.int64(0) }
        return last
    }
}
