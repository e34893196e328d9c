internal import Time

/// Decides whether the limits allow a registration, and how it is recorded. Windows slide: the times of the last allowed calls are stored,
/// as many as the largest rule counts. A call is rejected while the first of the last `max` calls is younger than the window. Rejected
/// calls are not recorded.
enum RegistrationLimits {
    enum Verdict {
        /// The changes that record the call.
        case allowed([RegistryTransition.Change])
        case limited(rule: LimitRule, until: UnixMilliseconds)
    }

    /// Reads only the rows that the rules need.
    /// - Parameter ofUser: the user's calls, read together with the devices.
    static func evaluate<Rows: RegistryRows>(
        _ registration: Registration, ofUser: CallTimes, in rows: Rows
    ) throws(Rows.Failure) -> Verdict {
        var windows: [(scope: LimitRule.Scope, most: Int, calls: Window)] = []
        for scope in LimitRule.Scope.allCases {
            guard let most = registration.rules.lazy.filter({ $0.scope == scope }).map(\.max).max() else { continue }
            windows.append((scope, most, try window(of: scope, registration, ofUser, in: rows)))
        }
        let refusal = try LimitRefusal.longest(of: registration.rules, now: registration.now) { rule throws(Rows.Failure) in
            try windows.first { $0.scope == rule.scope }?.calls.earliest(ofLast: rule.max, in: rows)
        }
        if let refusal { return .limited(rule: refusal.rule, until: refusal.until) }
        return .allowed(windows.flatMap { $0.calls.recording(registration, keeping: $0.most) })
    }

    /// The calls of one scope.
    private enum Window {
        case user(CallTimes)
        case device(CallTimes)
        case series(CallSeries, last: Int64)

        /// Returns the time of the first of the last `count` calls; nil when there were fewer, or it was deleted.
        func earliest<Rows: RegistryRows>(ofLast count: Int, in rows: Rows) throws(Rows.Failure) -> UnixMilliseconds? {
            switch self {
            case .user(let times), .device(let times): return times.earliest(ofLast: count)
            case .series(let series, let last):
                let number = last - Int64(count) + 1
                return number > 0 ? try rows.time(ofCall: number, in: series) : nil
            }
        }

        /// Records a call and deletes calls that no rule counts any more.
        func recording(_ registration: Registration, keeping most: Int) -> [RegistryTransition.Change] {
            switch self {
            case .user(let times):
                return [.putUserCalls(registration.key, times.adding(registration.now, keeping: most), at: registration.now)]
            case .device(let times):
                return [.putDeviceCalls(registration.key, times.adding(registration.now, keeping: most), at: registration.now)]
            case .series(let series, let last):
                let forgotten = last + 1 - Int64(most)
                return [.insertCall(series, number: last + 1, at: registration.now)]
                    + (forgotten > 0 ? [.forgetCalls(series, through: forgotten)] : [])
            }
        }
    }

    private static func window<Rows: RegistryRows>(
        of scope: LimitRule.Scope, _ registration: Registration, _ ofUser: CallTimes, in rows: Rows
    ) throws(Rows.Failure) -> Window {
        switch scope {
        case .user: return .user(ofUser)
        case .device: return .device(try rows.calls(ofDevice: registration.key))
        case .app, .service:
            let series: CallSeries = scope == .app ? .app(ByteKey(registration.key.appID)) : .service
            return .series(series, last: try rows.lastCall(in: series))
        }
    }
}
