import Core
import Crypto
import Testing
import Time

@testable import Sendbird

/// The calls to Sendbird for session tokens.
@Suite struct SessionTokenCoalescerTests {
    private typealias Coalescer = SessionTokenCoalescer<Int>

    private static let start: UnixMilliseconds = 1_800_000_000_000
    private static let life: UInt64 = 1_000_000

    private static func coalescer(_ rules: [LimitRule] = [], sessions: Int = 10, calls: Int = 10) -> Coalescer {
        Coalescer(app: "shop", lifetimeMilliseconds: life, rules: rules, sessionLimit: sessions, callLimit: calls)
    }

    private static func request(_ user: String = "user", latest: UnixMilliseconds = .max, _ waiter: Int = 0) -> Coalescer.Request {
        Coalescer.Request(user: ByteKey(user), latest: latest, waiter: waiter)
    }

    private static func session(_ end: UnixMilliseconds, at start: UnixMilliseconds = start) -> Session {
        Session(token: SecretBytes(copying: "token".utf8.span), expiresAt: end, obtainedAt: start, receivedAt: start)
    }

    /// The number and the expiry of the call that a step starts.
    private func call(_ step: Coalescer.Step) throws -> (number: UInt64, until: UnixMilliseconds) {
        guard case .call(let number, let until) = step else { throw Unexpected() }
        return (number, until)
    }

    private struct Unexpected: Error {}

    private static func isKept(_ step: Coalescer.Step) -> Bool { if case .answer = step { true } else { false } }

    @Test func `requests the shorter of the lifetime and the key's`() throws {
        var coalescer = Self.coalescer()
        #expect(try call(coalescer.ask(Self.request("a"), now: Self.start)).until == Self.start + Self.life)
        #expect(try call(coalescer.ask(Self.request("b", latest: Self.start + 7), now: Self.start)).until == Self.start + 7)
    }

    @Test func `shares a call and caches its token`() throws {
        var coalescer = Self.coalescer()
        let (number, end) = try call(coalescer.ask(Self.request(latest: .max, 1), now: Self.start))
        guard case .wait = coalescer.ask(Self.request(latest: .max, 2), now: Self.start) else { throw Unexpected() }
        let ended = coalescer.finish(number, Self.session(end))
        #expect(ended.requests.map(\.waiter) == [1, 2])
        #expect(!ended.isForgotten)
        #expect(Self.isKept(coalescer.ask(Self.request(), now: Self.start + 1)))
        #expect(coalescer.find(ByteKey("another"), latest: .max, now: Self.start) == nil)
    }

    @Test func `renews when a tenth is left`() throws {
        var coalescer = Self.coalescer()
        let (number, end) = try call(coalescer.ask(Self.request(), now: Self.start))
        _ = coalescer.finish(number, Self.session(end))
        let tenth = Self.start + Self.life / 10 * 9
        #expect(coalescer.find(ByteKey("user"), latest: .max, now: tenth - 1) != nil)
        #expect(coalescer.find(ByteKey("user"), latest: .max, now: tenth) == nil)
        // A new one would not expire after the key, so a renewal is useless.
        #expect(coalescer.find(ByteKey("user"), latest: end, now: end - 1) != nil)
        #expect(coalescer.find(ByteKey("user"), latest: end, now: end) == nil)
    }

    @Test func `does not outlive the key`() throws {
        var coalescer = Self.coalescer()
        let (number, end) = try call(coalescer.ask(Self.request(), now: Self.start))
        _ = coalescer.finish(number, Self.session(end))
        #expect(coalescer.find(ByteKey("user"), latest: end - 1, now: Self.start) == nil)
        #expect(coalescer.find(ByteKey("user"), latest: end, now: Self.start) != nil)
    }

    @Test func `caches nothing about a forgotten user`() throws {
        var coalescer = Self.coalescer()
        let (number, end) = try call(coalescer.ask(Self.request(), now: Self.start))
        #expect(coalescer.forget(ByteKey("user")) == nil)
        let (second, _) = try call(coalescer.ask(Self.request(), now: Self.start))
        #expect(coalescer.finish(number, Self.session(end)).isForgotten)
        #expect(coalescer.count == 0)
        #expect(!coalescer.finish(second, Self.session(end)).isForgotten)
        #expect(coalescer.count == 1)
        #expect(coalescer.forget(ByteKey("user"))?.expiresAt == end)
        #expect(coalescer.count == 0)
        let (third, _) = try call(coalescer.ask(Self.request(), now: Self.start))
        coalescer.forgetAll()
        #expect(coalescer.finish(third, Self.session(end)).isForgotten)
        #expect(coalescer.count == 0)
    }

    @Test func `caches no failure`() throws {
        var coalescer = Self.coalescer()
        let (number, _) = try call(coalescer.ask(Self.request(), now: Self.start))
        #expect(!coalescer.finish(number, nil).isForgotten)
        _ = try call(coalescer.ask(Self.request(), now: Self.start))
    }

    @Test func `is limited in size`() throws {
        var coalescer = Self.coalescer(sessions: 3, calls: 2)
        _ = try call(coalescer.ask(Self.request("a"), now: Self.start))
        let (number, _) = try call(coalescer.ask(Self.request("b"), now: Self.start))
        guard case .overloaded = coalescer.ask(Self.request("c"), now: Self.start) else { throw Unexpected() }
        _ = coalescer.finish(number, nil)
        for user in ["c", "d", "e", "f"] {
            let (number, end) = try call(coalescer.ask(Self.request(user), now: Self.start))
            _ = coalescer.finish(number, Self.session(end))
        }
        #expect(coalescer.count == 3)
        #expect(coalescer.find(ByteKey("c"), latest: .max, now: Self.start) == nil, "the oldest has left")
    }

    /// 45 people request tokens while no call can be sent; the next one is not locked out.
    @Test func `a call that does not arrive uses no limit`() throws {
        let rules = [
            LimitRule(per: .user, max: 1, windowMilliseconds: 60_000), LimitRule(per: .app, max: 2, windowMilliseconds: 60_000),
        ]
        var coalescer = Self.coalescer(rules)
        for number in 1...45 {
            let ordered = try call(coalescer.ask(Self.request("user-\(number)"), now: Self.start + UInt64(number)))
            _ = coalescer.finish(ordered.number, nil, mayHaveArrived: false)
        }
        #expect(coalescer.status(of: ByteKey("user-1"), now: Self.start + 46).1 == nil)
        // A call that may have arrived is counted, with or without a token.
        let (first, _) = try call(coalescer.ask(Self.request("user-1"), now: Self.start + 50))
        _ = coalescer.finish(first, nil)
        let (second, end) = try call(coalescer.ask(Self.request("user-2"), now: Self.start + 51))
        _ = coalescer.finish(second, Self.session(end))
        guard case .limited(let refusal) = coalescer.ask(Self.request("user-3"), now: Self.start + 52) else { throw Unexpected() }
        #expect(refusal.until == Self.start + 60_050)
    }

    @Test func `limits calls in exact windows`() throws {
        let rules = [
            LimitRule(per: .user, max: 2, windowMilliseconds: 1000), LimitRule(per: .app, max: 3, windowMilliseconds: 10_000),
        ]
        var coalescer = Self.coalescer(rules)
        func ask(_ user: String, _ time: UInt64) -> Coalescer.Step {
            let step = coalescer.ask(Self.request(user), now: Self.start + time)
            if case .call(let number, _) = step { _ = coalescer.finish(number, nil) }
            return step
        }
        func limit(_ step: Coalescer.Step) -> (LimitRule.Scope, UInt64)? {
            guard case .limited(let refusal) = step else { return nil }
            return (refusal.rule.scope, refusal.until - Self.start)
        }
        #expect(limit(ask("a", 0)) == nil)
        #expect(limit(ask("a", 500)) == nil)
        #expect(try #require(limit(ask("a", 999))) == (.user, 1000))
        #expect(limit(ask("a", 1000)) == nil, "the first has left the window")
        #expect(try #require(limit(ask("b", 1001))) == (.app, 10_000), "what was refused does not count")
        #expect(limit(ask("b", 10_000)) == nil)
    }
}
