import Core
import TestSupport
import Testing
import Time

@Suite struct CallWindowsTests {
    private static let start: UnixMilliseconds = 1_800_000_000_000

    private static func person(_ user: Int, app: String = "shop") -> CallWindows.Person {
        CallWindows.Person(appID: app, userID: "user-\(user)")
    }

    /// Whether a reference that stores every call would reject another one: it counts the calls within a window.
    private static func isFull(_ rule: LimitRule, calls: [UnixMilliseconds], now: UnixMilliseconds) -> Bool {
        calls.count { now.elapsed(since: $0) < rule.windowMilliseconds } >= rule.max
    }

    @Test func `several windows are exact`() {
        let rules = [
            LimitRule(per: .user, max: 2, windowMilliseconds: 10), LimitRule(per: .user, max: 5, windowMilliseconds: 100),
            LimitRule(per: .app, max: 9, windowMilliseconds: 50),
        ]
        var random = SeededGenerator(seed: 16)
        var windows = CallWindows(rules, personLimit: 3)
        var taken: [(person: CallWindows.Person, at: UnixMilliseconds)] = []
        var now = Self.start
        var count = 0
        for _ in 1...2000 {
            now = now + UInt64.random(in: 0...6, using: &random)
            let person = Self.person(.random(in: 1...3, using: &random))
            let full = rules.filter { rule in
                Self.isFull(rule, calls: taken.filter { rule.scope == .app || $0.person == person }.map(\.at), now: now)
            }
            let refusal = windows.take(person, now: now)
            #expect((refusal == nil) == full.isEmpty)
            if let refusal {
                #expect(full.contains(refusal.rule))
                #expect(refusal.until > now)
                #expect(windows.refusal(of: person, now: refusal.until) == nil)
                #expect(refusal.seconds(at: now) == 1)
            } else {
                count += 1
                // Calls outside every window are omitted.
                taken = taken.filter { now.elapsed(since: $0.at) < 100 } + [(person, now)]
            }
        }
        #expect((250..<2000).contains(count), "some are taken and some are refused")
    }

    @Test func `counts each person of each app separately`() {
        var windows = CallWindows(
            [LimitRule(per: .user, max: 1, windowMilliseconds: 1000), LimitRule(per: .app, max: 2, windowMilliseconds: 500)],
            personLimit: 10)
        #expect(windows.take(Self.person(1), now: Self.start) == nil)
        #expect(windows.take(Self.person(1), now: Self.start)?.rule.scope == .user)
        #expect(windows.take(Self.person(1, app: "other"), now: Self.start) == nil)
        #expect(windows.take(Self.person(2), now: Self.start) == nil)
        #expect(windows.take(Self.person(3), now: Self.start)?.rule.scope == .app)
        #expect(windows.take(Self.person(3, app: "other"), now: Self.start) == nil)
        // Two texts that are equal in Unicode are two people.
        #expect(windows.take(CallWindows.Person(appID: "a", userID: "\u{e9}"), now: Self.start) == nil)
        #expect(windows.take(CallWindows.Person(appID: "a", userID: "e\u{301}"), now: Self.start) == nil)
    }

    /// As if the call had not been recorded, in both scopes; a call of another user or time is not removed.
    @Test func `removes a recorded call`() {
        let rules = [
            LimitRule(per: .user, max: 2, windowMilliseconds: 1000), LimitRule(per: .app, max: 3, windowMilliseconds: 1000),
        ]
        var windows = CallWindows(rules, personLimit: 10)
        for time in UInt64(0)...1 { #expect(windows.take(Self.person(1), now: Self.start + time) == nil) }
        windows.giveBack(Self.person(1), at: Self.start + 7)
        windows.giveBack(Self.person(2), at: Self.start + 7)
        #expect(windows.refusal(of: Self.person(1), now: Self.start + 2)?.until == Self.start + 1000)
        windows.giveBack(Self.person(1), at: Self.start)
        #expect(windows.take(Self.person(1), now: Self.start + 2) == nil)
        #expect(windows.take(Self.person(2), now: Self.start + 3) == nil)
        #expect(windows.refusal(of: Self.person(3), now: Self.start + 4)?.until == Self.start + 1001)
        windows.giveBack(Self.person(2), at: Self.start + 3)
        #expect(windows.take(Self.person(3), now: Self.start + 5) == nil)
    }

    /// The calls of others lock no user out, and frequent calls keep a user in the table.
    @Test func `evicts the user whose last call is the oldest`() {
        var windows = CallWindows([LimitRule(per: .user, max: 1, windowMilliseconds: 1_000_000)], personLimit: 2)
        #expect(windows.take(Self.person(1), now: Self.start) == nil)
        #expect(windows.take(Self.person(2), now: Self.start + 1) == nil)
        for time in UInt64(2)...100 { #expect(windows.take(Self.person(2), now: Self.start + time) != nil) }
        #expect(windows.take(Self.person(1), now: Self.start + 101) != nil, "what is refused makes nobody forgotten")
        #expect(windows.take(Self.person(3), now: Self.start + 102) == nil)
        #expect(windows.take(Self.person(2), now: Self.start + 103)?.until == Self.start + 1_000_001)
        #expect(windows.take(Self.person(1), now: Self.start + 104) == nil)
    }

    /// After a clock was set back, no user is locked out for the difference.
    @Test func `survives a clock that is set back`() {
        var windows = CallWindows([LimitRule(per: .user, max: 1, windowMilliseconds: 1000)], personLimit: 2)
        #expect(windows.take(Self.person(1), now: Self.start + 3_600_000) == nil)
        #expect(windows.take(Self.person(1), now: Self.start) == nil)
    }
}
