package import Time

package struct LimitRefusal: Sendable, Equatable {
    package let rule: LimitRule
    package let until: UnixMilliseconds

    package init(_ rule: LimitRule, until: UnixMilliseconds) {
        (self.rule, self.until) = (rule, until)
    }

    /// Returns the longest refusal of another call; nil when no rule refuses it.
    /// - Parameter earliest: returns the time of the first of the last `max` calls that a rule counts; nil when there were fewer.
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

    /// Returns the seconds that the caller must wait, rounded up.
    package func seconds(at now: UnixMilliseconds) -> UInt64 { (now.remaining(until: until) + 999) / 1000 }
}

/// Counts people's calls in sliding windows (`LimitRule`), in memory and for this process alone. A value; the caller locks. Record only
/// people whose security key is in force.
///
/// The windows are exact for the last `personLimit` people. For another one, the person whose last call is the oldest is forgotten.
/// Rejecting the new one instead would let many people, or one with many accounts, lock all others out for a whole window. A forgotten
/// person gains calls only after as many others have called meanwhile.
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
    // As many as are configured, because the caller belongs to one of them.
    private var ofApps: [ByteKey: CallTimes] = [:]

    /// Makes windows without calls.
    /// - Parameters:
    ///   - rules: of the scopes `user` and `app`.
    ///   - personLimit: how many people's calls are kept; 1 at least. Each takes 8 bytes a call, as many as the rules can ask for.
    package init(_ rules: [LimitRule], personLimit: Int) {
        precondition(rules.allSatisfy { $0.scope == .user || $0.scope == .app }, "calls are known by person and app")
        self.rules = rules
        maximumPerPerson = rules.lazy.filter { $0.scope == .user }.map(\.max).max()
        maximumPerApp = rules.lazy.filter { $0.scope == .app }.map(\.max).max()
        ofPeople = BoundedTable(limit: personLimit)
    }

    /// The rule that is broken for longest by another call; nil when there may be one.
    package func refusal(of person: Person, now: UnixMilliseconds) -> LimitRefusal? {
        LimitRefusal.longest(of: rules, now: now) { rule in
            (rule.scope == .user ? ofPeople[person] : ofApps[person.appID])?.earliest(ofLast: rule.max)
        }
    }

    /// Records a call, whether a rule refuses it or not.
    package mutating func record(_ person: Person, now: UnixMilliseconds) {
        if let maximumPerPerson {
            ofPeople.insert((ofPeople[person] ?? CallTimes()).adding(now, keeping: maximumPerPerson), for: person)
        }
        if let maximumPerApp { ofApps[person.appID] = (ofApps[person.appID] ?? CallTimes()).adding(now, keeping: maximumPerApp) }
    }

    /// Takes a recorded call back that has turned out not to count.
    /// - Parameter time: when it was recorded.
    package mutating func giveBack(_ person: Person, at time: UnixMilliseconds) {
        if let times = ofPeople[person] { ofPeople.insert(times.without(time), for: person) }
        ofApps[person.appID] = ofApps[person.appID]?.without(time)
    }

    /// Records a call, unless a rule refuses it; refused calls are not counted.
    package mutating func take(_ person: Person, now: UnixMilliseconds) -> LimitRefusal? {
        if let refusal = refusal(of: person, now: now) { return refusal }
        record(person, now: now)
        return nil
    }
}
