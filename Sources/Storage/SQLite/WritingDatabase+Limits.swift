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

/// The calls that a registration is counted with in one scope.
struct CallWindow {
    fileprivate let scope: LimitRule.Scope
    fileprivate let key: WindowKey
    /// How many of the last calls a rule asks for.
    fileprivate let most: Int
    /// The number of the last call; 0 when there was none.
    fileprivate let last: Int64
}

extension WritingDatabase {
    /// The windows that a registration's rules ask for, looked up once for asking and for noting.
    func windows(_ wish: Registration, _ app: Int64) throws(SQLiteError) -> [CallWindow] {
        var windows: [CallWindow] = []
        for scope in LimitRule.Scope.allCases {
            guard let most = wish.rules.lazy.filter({ $0.scope == scope }).map(\.max).max() else { continue }
            let key = WindowKey(scope, wish.key, app)
            windows.append(CallWindow(scope: scope, key: key, most: most, last: try lastCall(key)))
        }
        return windows
    }

    /// Why a registration must wait; nil when it need not.
    func limit(_ wish: Registration, _ windows: [CallWindow]) throws(SQLiteError) -> Registration.Outcome? {
        var longest: (rule: LimitRule, until: UInt64)?
        for rule in wish.rules {
            guard let window = windows.first(where: { $0.scope == rule.scope }), window.last > 0 else { continue }
            let earliest = try time(ofCall: window.last - Int64(rule.max) + 1, window.key)
            guard let until = rule.allowedAt(earliest: earliest, now: wish.now), until > longest?.until ?? 0 else { continue }
            longest = (rule, until)
        }
        return longest.map { .limited(rule: $0.rule, until: $0.until) }
    }

    /// Notes an allowed registration, and forgets what no rule can ask for any more.
    func record(_ wish: Registration, _ windows: [CallWindow]) throws(SQLiteError) {
        for window in windows {
            let number = window.last + 1
            let statement = deviceStatements.insertCall
            bind(window.key, to: statement)
            statement.bind(number, at: 4)
            statement.bind(wish.now.stored, at: 5)
            try statement.runBound()
            let forgotten = number - Int64(window.most)
            guard forgotten > 0 else { continue }
            bind(window.key, to: deviceStatements.forgetCalls)
            deviceStatements.forgetCalls.bind(forgotten, at: 4)
            try deviceStatements.forgetCalls.runBound()
        }
    }

    /// When a call came; nil when there was none, or when it has been forgotten.
    private func time(ofCall number: Int64, _ key: WindowKey) throws(SQLiteError) -> UInt64? {
        let statement = deviceStatements.call
        bind(key, to: statement)
        statement.bind(number, at: 4)
        defer { statement.reset() }
        return try statement.step() ? try statement.time(0) : nil
    }

    private func lastCall(_ key: WindowKey) throws(SQLiteError) -> Int64 {
        let statement = deviceStatements.lastCall
        bind(key, to: statement)
        defer { statement.reset() }
        return try statement.step() ? try statement.int64(0) : 0
    }

    private func bind(_ key: WindowKey, to statement: Statement) {
        statement.bind(key.app, at: 1)
        statement.bind(key.userID, at: 2)
        statement.bind(key.deviceID, at: 3)
    }
}
