internal import Core
internal import Time

/// How many previews each person may ask for, in sliding windows, as `LimitRule` says; in memory, and of this process alone. It is a value, and
/// the caller locks.
struct PreviewLimits {
    /// A message has one preview, and nobody writes more of them by hand.
    static let rules = [
        LimitRule(per: .user, max: 20, windowMilliseconds: 60_000), LimitRule(per: .user, max: 200, windowMilliseconds: 3_600_000),
    ]

    /// A person of an app.
    struct Person: Hashable {
        let appID: ByteKey
        let userID: ByteKey
    }

    private let rules: [LimitRule]
    private let most: Int
    private let longest: UInt64
    private let personLimit: Int
    private var calls: [Person: CallTimes] = [:]

    /// - Parameter personLimit: whose calls are remembered at one time; beyond it nobody new may ask until windows have passed.
    init(_ rules: [LimitRule] = rules, personLimit: Int = 20_000) {
        self.rules = rules
        self.personLimit = personLimit
        most = rules.map(\.max).max() ?? 1
        longest = rules.map(\.windowMilliseconds).max() ?? 0
    }

    /// Records a call, unless a rule refuses it.
    /// - Returns: the rule that refuses it for longest, and until when; nil when it is allowed.
    mutating func refusal(of person: Person, now: UnixMilliseconds) -> (rule: LimitRule, until: UnixMilliseconds)? {
        let times = calls[person] ?? CallTimes()
        let refusals = rules.compactMap { rule in
            rule.allowedAt(earliest: times.earliest(ofLast: rule.max), now: now).map { (rule: rule, until: $0) }
        }
        if let longest = refusals.max(by: { $0.until < $1.until }) { return longest }
        if calls[person] == nil, calls.count >= personLimit {
            forget(now)
            if calls.count >= personLimit, let rule = rules.first { return (rule, now + rule.windowMilliseconds) }
        }
        calls[person] = times.adding(now, keeping: most)
        return nil
    }

    /// Forgets those whose last call no rule can ask for any more.
    private mutating func forget(_ now: UnixMilliseconds) {
        calls = calls.filter { entry in
            guard let last = entry.value.earliest(ofLast: 1) else { return false }
            return last + longest > now && last <= now + LimitRule.clockToleranceMilliseconds
        }
    }
}
