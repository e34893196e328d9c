internal import Core
internal import HelpDesk
internal import Time

/// How often people of one app have called, in sliding windows, as `LimitRule` says; in memory, and of this process alone.
struct CallWindows: Sendable {
    private let rules: [LimitRule]
    private var ofUsers: BoundedTable<ByteKey, CallTimes>
    private var ofApp = CallTimes()

    /// - Parameter userLimit: how many people's calls are kept; whoever called longest ago leaves first.
    init(rules: [LimitRule], userLimit: Int) {
        self.rules = rules
        ofUsers = BoundedTable(limit: userLimit)
    }

    /// The rule that is broken for longest by another call; nil when there may be one.
    func refusal(of user: ByteKey, now: UnixMilliseconds) -> (rule: LimitRule, until: UnixMilliseconds)? {
        var longest: (rule: LimitRule, until: UnixMilliseconds)?
        for rule in rules {
            let times = rule.scope == .user ? ofUsers[user] ?? CallTimes() : ofApp
            guard let until = rule.allowedAt(earliest: times.earliest(ofLast: rule.max), now: now) else { continue }
            if until > longest?.until ?? 0 { longest = (rule, until) }
        }
        return longest
    }

    mutating func record(_ user: ByteKey, now: UnixMilliseconds) {
        if let most = most(of: .user) {
            ofUsers.insert((ofUsers[user] ?? CallTimes()).adding(now, keeping: most), for: user)
        }
        if let most = most(of: .app) { ofApp = ofApp.adding(now, keeping: most) }
    }

    private func most(of scope: LimitRule.Scope) -> Int? {
        rules.lazy.filter { $0.scope == scope }.map(\.max).max()
    }
}
