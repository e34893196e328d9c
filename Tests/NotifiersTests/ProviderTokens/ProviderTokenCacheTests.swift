import Core
import Notifiers
import TestSupport
import Testing
import Time

struct ProviderTokenCacheTests {
    private let source = HeldSource()
    private let clocks = ManualClocks()
    private let answers = Answers()
    private let cache: ProviderTokenCache

    init() {
        let clocks = clocks
        cache = ProviderTokenCache(
            source, policy: .oauth, monotonicMilliseconds: { clocks.monotonicMilliseconds() },
            unixMilliseconds: { clocks.unixMilliseconds() })
    }

    private func ask() {
        let answers = answers
        cache.token { answers.add($0) }
    }

    @Test func `concurrent callers share one fetch`() {
        let (cache, answers) = (cache, answers)
        onThreads(16) { _ in
            for _ in 0..<10 { cache.token { answers.add($0) } }
        }
        #expect(source.times == [1_700_000_000])
        #expect(answers.all.isEmpty)
        source.end(.token("a", lifetimeMilliseconds: 3_600_000))
        #expect(answers.texts == [String](repeating: "a", count: 160))
        ask()
        #expect(answers.texts.count == 161)
        #expect(source.times.count == 1)
    }

    @Test func `each waiting caller gets one result, even if it calls again in its callback`() {
        let (cache, answers) = (cache, answers)
        cache.token { first in
            answers.add(first)
            cache.token { answers.add($0) }
        }
        source.end(.token("a", lifetimeMilliseconds: 3_600_000))
        #expect(answers.texts == ["a", "a"])
    }

    @Test func `a failure reaches all callers until it expires`() {
        for _ in 0..<3 { ask() }
        source.end(.unavailable(reason: "token_timeout", retryAfterMilliseconds: 60_000))
        ask()
        #expect(answers.all.count == 4)
        for answer in answers.all {
            #expect(throws: ProviderTokenFailure(.unavailable(retryAfterMilliseconds: 60_000), reason: "token_timeout")) {
                try answer.get()
            }
        }
        clocks.pass(60_000)
        ask()
        #expect(source.times == [1_700_000_000, 1_700_000_060])
        source.end(.token("a", lifetimeMilliseconds: 3_600_000))
        #expect(answers.texts.last == "a")
    }

    @Test func `a renewal delays no caller`() {
        ask()
        source.end(.token("a", lifetimeMilliseconds: 3_600_000))
        clocks.pass(55 * 60_000)
        ask()
        #expect(answers.texts == ["a", "a"])
        #expect(source.times.count == 2)
        source.end(.token("b", lifetimeMilliseconds: 3_600_000))
        ask()
        #expect(answers.texts == ["a", "a", "b"])
    }

    @Test func `an expired token is replaced once for all callers that had it`() throws {
        ask()
        source.end(.token("a", lifetimeMilliseconds: 3_600_000))
        let token = try #require(answers.all.first).get()
        let cache = cache
        onThreads(8) { _ in
            #expect(cache.invalidate(token, date: nil) == .askAgain)
        }
        for _ in 0..<8 { ask() }
        #expect(source.times.count == 2)
        source.end(.token("b", lifetimeMilliseconds: 3_600_000))
        #expect(answers.texts == ["a"] + [String](repeating: "b", count: 8))
        #expect(cache.invalidate(token, date: nil) == .askAgain)
        ask()
        #expect(source.times.count == 2)
    }

    /// The clocks show Tue, 14 Nov 2023 22:13:20 GMT.
    @Test func `a distant Date header corrects the time for minting`() throws {
        ask()
        source.end(.token("a", lifetimeMilliseconds: 3_600_000))
        let token = try #require(answers.all.first).get()
        #expect(cache.refused(token, date: "Tue, 14 Nov 2023 22:16:40 GMT") == .credentialRefused)
        #expect(cache.clockSkewSeconds == 0)
        #expect(cache.refused(token, date: "Tue, 14 Nov 2023 23:13:20 GMT") == .clockSkew(seconds: 3600))
        #expect(cache.clockSkewSeconds == 3600)
        ask()
        #expect(source.times == [1_700_000_000, 1_700_003_600])
        source.end(.token("b", lifetimeMilliseconds: 3_600_000))
        #expect(answers.texts == ["a", "b"])
    }

    @Test func `too many tokens stop all requests for a while`() {
        ask()
        source.end(.token("a", lifetimeMilliseconds: 3_600_000))
        let failure = cache.tooManyUpdates(retryAfterMilliseconds: 60_000)
        #expect(failure.reason == "too_many_token_updates")
        ask()
        #expect(throws: failure) { try #require(answers.all.last).get() }
        clocks.pass(60_000)
        ask()
        #expect(answers.texts.last == "a")
        #expect(source.times.count == 1)
    }
}
