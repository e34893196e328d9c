package import Time

package struct LimitRefusal: Sendable, Equatable {
    /// The violated rule with the latest next allowed call.
    package let rule: LimitRule
    /// Time from which the rule allows a call.
    package let until: UnixMilliseconds

    package init(_ rule: LimitRule, until: UnixMilliseconds) {
        (self.rule, self.until) = (rule, until)
    }

    /// Returns the refusal with the longest wait; nil when all rules allow another call.
    /// - Parameter earliest: the time of the first of the last `max` calls that a rule counts; nil when there were fewer.
    static func longest<Failure: Error>(
        of rules: [LimitRule], now: UnixMilliseconds, earliest: (LimitRule) throws(Failure) -> UnixMilliseconds?
    ) throws(Failure) -> LimitRefusal? {
        var longest: LimitRefusal?
        for rule in rules {
            guard let until = rule.allowedAt(earliest: try earliest(rule), now: now), until > longest?.until ?? 0 else { continue }
            longest = LimitRefusal(rule, until: until)
        }
        return longest
    }

    /// Seconds that the caller must wait, rounded up.
    package func seconds(at now: UnixMilliseconds) -> UInt64 { (now.remaining(until: until) + 999) / 1000 }
}

/// Sliding windows of calls per user and app (`LimitRule`), in the memory of one process. A value type: the caller locks. Record only users
/// whose security key is valid.
///
/// The windows are exact for the last `personLimit` users. A new user replaces the one whose last call is the oldest. If the new user were
/// rejected instead, many users, or one with many accounts, could lock out all others for a whole window. A removed user can exceed the
/// limits only after that many others have called.
package struct CallWindows: Sendable {
    package struct Person: Hashable, Sendable {
        package let appID: ByteKey
        package let userID: ByteKey

        package init(appID: String, userID: String) {
            (self.appID, self.userID) = (ByteKey(appID), ByteKey(userID))
        }
    }

    private let rules: [LimitRule]
    private let maximumPerPerson: Int?
    private let maximumPerApp: Int?
    private var ofPeople: BoundedTable<Person, CallTimes>
    // Any number of configured apps is stored, because every caller belongs to one of them.
    private var ofApps: [ByteKey: CallTimes] = [:]

    /// - Parameters:
    ///   - rules: of the scopes `user` and `app`.
    ///   - personLimit: the maximum number of users, at least 1. Each takes 8 bytes for each call that the largest rule counts.
    package init(_ rules: [LimitRule], personLimit: Int) {
        precondition(rules.allSatisfy { $0.scope == .user || $0.scope == .app }, "calls are counted by user and app only")
        self.rules = rules
        maximumPerPerson = rules.lazy.filter { $0.scope == .user }.map(\.max).max()
        maximumPerApp = rules.lazy.filter { $0.scope == .app }.map(\.max).max()
        ofPeople = BoundedTable(limit: personLimit)
    }

    /// Returns the refusal of another call; nil when all rules allow it.
    package func refusal(of person: Person, now: UnixMilliseconds) -> LimitRefusal? {
        LimitRefusal.longest(of: rules, now: now) { rule in
            (rule.scope == .user ? ofPeople[person] : ofApps[person.appID])?.earliest(ofLast: rule.max)
        }
    }

    /// Records a call even if a rule rejects it.
    package mutating func record(_ person: Person, now: UnixMilliseconds) {
        if let maximumPerPerson {
            ofPeople.insert((ofPeople[person] ?? CallTimes()).adding(now, keeping: maximumPerPerson), for: person)
        }
        if let maximumPerApp { ofApps[person.appID] = (ofApps[person.appID] ?? CallTimes()).adding(now, keeping: maximumPerApp) }
    }

    /// Removes a recorded call that must not be counted.
    /// - Parameter time: the time at which it was recorded.
    package mutating func giveBack(_ person: Person, at time: UnixMilliseconds) {
        if let times = ofPeople[person] { ofPeople.insert(times.without(time), for: person) }
        ofApps[person.appID] = ofApps[person.appID]?.without(time)
    }

    /// Records a call unless a rule rejects it; returns the refusal.
    package mutating func take(_ person: Person, now: UnixMilliseconds) -> LimitRefusal? {
        if let refusal = refusal(of: person, now: now) { return refusal }
        record(person, now: now)
        return nil
    }
}
