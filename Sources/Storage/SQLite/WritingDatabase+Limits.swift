internal import Core
internal import SQLite

/// The calls that a registration is counted with.
struct CallHistory {
    fileprivate let ofUser: CallTimes
    fileprivate let ofDevice: CallTimes
    fileprivate let deviceNumber: Int64
    /// Those of the app and of all.
    fileprivate let shared: [SharedWindow]
}

/// The calls of an app, or of all, that a registration is counted with.
private struct SharedWindow {
    let scope: LimitRule.Scope
    /// As the table `windows` names it: 0 for all.
    let app: Int64
    /// How many of the last calls a rule asks for.
    let most: Int
    /// The number of the last call; 0 when there was none.
    let last: Int64
}

extension Registration {
    /// How many of the last calls in a scope a rule asks for; nil when none does.
    fileprivate func most(_ scope: LimitRule.Scope) -> Int? {
        rules.lazy.filter { $0.scope == scope }.map(\.max).max()
    }
}

extension WritingDatabase {
    /// The calls that a registration's rules ask for, looked up once for asking and for noting.
    /// - Parameter ofUser: those of the person, which were found with the devices.
    func history(_ wish: Registration, _ app: Int64, ofUser: CallTimes) throws(SQLiteError) -> CallHistory {
        var shared: [SharedWindow] = []
        for (scope, app) in [(LimitRule.Scope.app, app), (.service, 0)] {
            guard let most = wish.most(scope) else { continue }
            shared.append(SharedWindow(scope: scope, app: app, most: most, last: try lastCall(app)))
        }
        let deviceNumber = StoreRules.deviceNumber(wish.key)
        let ofDevice = wish.most(.device) == nil ? CallTimes() : try calls(ofDevice: deviceNumber)
        return CallHistory(ofUser: ofUser, ofDevice: ofDevice, deviceNumber: deviceNumber, shared: shared)
    }

    /// Why a registration must wait; nil when it need not.
    func limit(_ wish: Registration, _ history: CallHistory) throws(SQLiteError) -> Registration.Outcome? {
        var longest: (rule: LimitRule, until: UInt64)?
        for rule in wish.rules {
            let earliest = try earliest(rule, history)
            guard let until = rule.allowedAt(earliest: earliest, now: wish.now), until > longest?.until ?? 0 else { continue }
            longest = (rule, until)
        }
        return longest.map { .limited(rule: $0.rule, until: $0.until) }
    }

    /// Notes an allowed registration, and forgets what no rule can ask for any more.
    func record(_ wish: Registration, _ app: Int64, _ history: CallHistory) throws(SQLiteError) {
        if let most = wish.most(.user) {
            let statement = deviceStatements.putCalls
            statement.bind(app, at: 1)
            statement.bind(wish.key.userID, at: 2)
            statement.bind(wish.now.stored, at: 3)
            statement.bind(history.ofUser.adding(wish.now, keeping: most).bytes.span, at: 4)
            try statement.runBound()
        }
        if let most = wish.most(.device) {
            let statement = deviceStatements.putDeviceCalls
            statement.bind(history.deviceNumber, at: 1)
            statement.bind(wish.now.stored, at: 2)
            statement.bind(history.ofDevice.adding(wish.now, keeping: most).bytes.span, at: 3)
            try statement.runBound()
        }
        for window in history.shared {
            let number = window.last + 1
            try deviceStatements.insertCall.run(window.app, number, wish.now.stored)
            let forgotten = number - Int64(window.most)
            if forgotten > 0 { try deviceStatements.forgetCalls.run(window.app, forgotten) }
        }
    }

    /// When the first of the last calls came that a rule counts; nil when there were fewer.
    private func earliest(_ rule: LimitRule, _ history: CallHistory) throws(SQLiteError) -> UInt64? {
        switch rule.scope {
        case .user: return history.ofUser.earliest(ofLast: rule.max)
        case .device: return history.ofDevice.earliest(ofLast: rule.max)
        case .app, .service:
            guard let window = history.shared.first(where: { $0.scope == rule.scope }) else { return nil }
            return try time(ofCall: window.last - Int64(rule.max) + 1, window.app)
        }
    }

    private func calls(ofDevice number: Int64) throws(SQLiteError) -> CallTimes {
        let statement = deviceStatements.deviceCalls
        statement.bind(number, at: 1)
        defer { statement.reset() }
        return try statement.step() ? try CallTimes(statement, 0) : CallTimes()
    }

    /// When a call came; nil when there was none, or when it has been forgotten.
    private func time(ofCall number: Int64, _ app: Int64) throws(SQLiteError) -> UInt64? {
        var time: UInt64?
        try deviceStatements.call.forEachRow(app, number) { row throws(SQLiteError) in time = try row.time(0) }
        return time
    }

    private func lastCall(_ app: Int64) throws(SQLiteError) -> Int64 {
        var last: Int64 = 0
        try deviceStatements.lastCall.forEachRow(app) { row throws(SQLiteError) in last = try row.int64(0) }
        // A damaged file may hold any number, and one more is counted on.
        return min(max(0, last), .max - 1)
    }
}
