import Core
import TestSupport
import Testing
import Time

/// Answers that are kept for a while.
@Suite struct AnswerCacheTests {
    private func identity(_ person: UInt128, _ credential: UInt128? = nil) -> CheckIdentity {
        CheckIdentity(person: person, credential: credential ?? person)
    }

    @Test func keepsAnAnswerForItsTime() {
        var cache = AnswerCache()
        cache.keep(.allowed, of: identity(1), milliseconds: 100, now: 1000)
        cache.keep(.denied, of: identity(2), milliseconds: 50, now: 1000)
        #expect(cache.answer(identity(1), now: 1099) == .allowed)
        #expect(cache.answer(identity(1), now: 1100) == nil)
        #expect(cache.answer(identity(2), now: 1049) == .denied)
        #expect(cache.answer(identity(2), now: 1050) == nil)
        #expect(cache.answer(identity(3), now: 1000) == nil)
    }

    /// A life that ends beyond the last moment ends with it.
    @Test func keepsAnAnswerToTheEndOfTime() {
        var cache = AnswerCache()
        cache.keep(.allowed, of: identity(1), milliseconds: .max, now: 1)
        cache.keep(.allowed, of: identity(2), milliseconds: 10, now: MonotonicMilliseconds(rawValue: .max - 5))
        for person: UInt128 in 1...2 {
            #expect(cache.answer(identity(person), now: MonotonicMilliseconds(rawValue: .max - 1)) == .allowed)
            #expect(cache.answer(identity(person), now: MonotonicMilliseconds(rawValue: .max)) == nil)
        }
    }

    @Test func keepsNothingWithoutTimeOrDecision() {
        var cache = AnswerCache()
        cache.keep(.allowed, of: identity(1), milliseconds: 0, now: 0)
        cache.keep(.undecided(.backendTimeout), of: identity(2), milliseconds: 100, now: 0)
        #expect(cache.count == 0)
    }

    @Test func theLastAnswerCounts() {
        var cache = AnswerCache()
        cache.keep(.allowed, of: identity(1), milliseconds: 1000, now: 0)
        cache.keep(.denied, of: identity(1), milliseconds: 10, now: 0)
        #expect(cache.answer(identity(1), now: 5) == .denied)
        #expect(cache.answer(identity(1), now: 500) == nil)
        cache.keep(.allowed, of: identity(1), milliseconds: 1000, now: 500)
        #expect(cache.answer(identity(1), now: 501) == .allowed)
        #expect(cache.count == 1)
    }

    @Test func theOldestLeavesFirst() {
        var cache = AnswerCache(mostAllowed: 3, mostDenied: 1)
        for person: UInt128 in 1...3 { cache.keep(.allowed, of: identity(person), milliseconds: 1000, now: 0) }
        // The first is renewed, so the second is the oldest.
        cache.keep(.allowed, of: identity(1), milliseconds: 1000, now: 1)
        cache.keep(.allowed, of: identity(4), milliseconds: 1000, now: 2)
        #expect((1...4).map { cache.answer(identity($0), now: 3) } == [.allowed, nil, .allowed, .allowed])
    }

    @Test func strangersDisplaceNoUser() {
        var cache = AnswerCache(mostAllowed: 2, mostDenied: 2)
        cache.keep(.allowed, of: identity(1), milliseconds: 1000, now: 0)
        for person: UInt128 in 100...200 { cache.keep(.denied, of: identity(person), milliseconds: 1000, now: 0) }
        #expect(cache.answer(identity(1), now: 1) == .allowed)
        #expect(cache.count == 3)
    }

    @Test func forgetsAPersonWithAllKeys() {
        var cache = AnswerCache()
        for credential: UInt128 in 1...3 { cache.keep(.allowed, of: identity(1, credential), milliseconds: 1000, now: 0) }
        cache.keep(.denied, of: identity(1, 4), milliseconds: 1000, now: 0)
        cache.keep(.allowed, of: identity(2), milliseconds: 1000, now: 0)
        cache.forget(person: 1)
        #expect(cache.count == 1)
        #expect(cache.answer(identity(2), now: 1) == .allowed)
        cache.forget(person: nil)
        #expect(cache.count == 0)
    }

    /// Compared with a list that is searched from its end.
    @Test(arguments: 1...5 as ClosedRange<UInt64>) func isAsANaiveOne(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var cache = AnswerCache(mostAllowed: 8, mostDenied: 4)
        var naive: [(identity: CheckIdentity, answer: BackendAnswer, end: UInt64)] = []
        var now: UInt64 = 0
        for _ in 0..<5000 {
            now += UInt64.random(in: 0...3, using: &random)
            let someone = identity(UInt128(Int.random(in: 0..<20, using: &random)))
            switch Int.random(in: 0..<20, using: &random) {
            case 0:
                cache.forget(person: someone.person)
                naive.removeAll { $0.identity.person == someone.person }
            case 1..<10:
                let answer: BackendAnswer = Bool.random(using: &random) ? .allowed : .denied
                let life = UInt64.random(in: 0...40, using: &random)
                cache.keep(answer, of: someone, milliseconds: life, now: MonotonicMilliseconds(rawValue: now))
                naive.removeAll { $0.identity == someone }
                guard life > 0 else { continue }
                let same = naive.indices.filter { naive[$0].answer == answer }
                if same.count == (answer == .allowed ? 8 : 4) { naive.remove(at: same[0]) }
                naive.append((someone, answer, now + life))
            default:
                let expected = naive.first { $0.identity == someone && now < $0.end }?.answer
                #expect(cache.answer(someone, now: MonotonicMilliseconds(rawValue: now)) == expected)
            }
            #expect(cache.count == naive.count)
        }
    }
}
