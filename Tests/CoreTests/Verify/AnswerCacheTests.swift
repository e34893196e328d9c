import Core
import TestSupport
import Testing
import Time

/// Cached responses of a backend.
@Suite struct AnswerCacheTests {
    private func identity(_ person: UInt128, _ credential: UInt128? = nil) -> CheckIdentity {
        CheckIdentity(person: person, credential: credential ?? person)
    }

    @Test func `keeps a response for its lifetime`() {
        var cache = AnswerCache()
        cache.keep(.allowed, of: identity(1), milliseconds: 100, now: 1000)
        cache.keep(.denied, of: identity(2), milliseconds: 50, now: 1000)
        #expect(cache.answer(identity(1), now: 1099) == .allowed)
        #expect(cache.answer(identity(1), now: 1100) == nil)
        #expect(cache.answer(identity(2), now: 1049) == .denied)
        #expect(cache.answer(identity(2), now: 1050) == nil)
        #expect(cache.answer(identity(3), now: 1000) == nil)
    }

    /// A lifetime beyond the maximum time ends with it.
    @Test func `keeps a response until the maximum time`() {
        var cache = AnswerCache()
        cache.keep(.allowed, of: identity(1), milliseconds: .max, now: 1)
        cache.keep(.allowed, of: identity(2), milliseconds: 10, now: MonotonicMilliseconds(rawValue: .max - 5))
        for person: UInt128 in 1...2 {
            #expect(cache.answer(identity(person), now: MonotonicMilliseconds(rawValue: .max - 1)) == .allowed)
            #expect(cache.answer(identity(person), now: MonotonicMilliseconds(rawValue: .max)) == nil)
        }
    }

    @Test func `keeps no response without a lifetime or decision`() {
        var cache = AnswerCache()
        cache.keep(.denied, of: identity(1), milliseconds: 0, now: 0)
        cache.keep(.undecided(.backendTimeout), of: identity(2), milliseconds: 100, now: 0)
        #expect(cache.count == 0)
    }

    @Test(
        arguments: [
            ("a yes", [.allowed], 100, true), ("a yes without time", [.allowed], 0, true), ("a no", [.denied], 100, false),
            ("a no after a yes", [.allowed, .denied], 100, false), ("a no without time after a yes", [.allowed, .denied], 0, false),
            ("a failure after a yes", [.allowed, .undecided(.backendStatus)], 100, true),
            ("a failure alone", [.undecided(.backendTimeout)], 100, false), ("a yes after a no", [.denied, .allowed], 100, true),
            ("nothing", [], 100, false),
        ] as [(String, [BackendAnswer], UInt64, Bool)])
    func `the last decision is remembered after its lifetime`(_: String, answers: [BackendAnswer], life: UInt64, wasAllowed: Bool) {
        var cache = AnswerCache()
        for answer in answers { cache.keep(answer, of: identity(1), milliseconds: life, now: 0) }
        #expect(cache.answer(identity(1), now: 100) == nil)
        #expect(cache.wasAllowed(identity(1)) == wasAllowed)
        #expect(!cache.wasAllowed(identity(1, 2)))
        cache.forget(person: 1)
        #expect(!cache.wasAllowed(identity(1)))
    }

    @Test func `the oldest allowed response is evicted first`() {
        var cache = AnswerCache(maximumAllowed: 2)
        for person: UInt128 in 1...3 { cache.keep(.allowed, of: identity(person), milliseconds: 0, now: 0) }
        #expect((1...3).map { cache.wasAllowed(identity($0)) } == [false, true, true])
    }

    @Test func `the last response applies`() {
        var cache = AnswerCache()
        cache.keep(.allowed, of: identity(1), milliseconds: 1000, now: 0)
        cache.keep(.denied, of: identity(1), milliseconds: 10, now: 0)
        #expect(cache.answer(identity(1), now: 5) == .denied)
        #expect(cache.answer(identity(1), now: 500) == nil)
        cache.keep(.allowed, of: identity(1), milliseconds: 1000, now: 500)
        #expect(cache.answer(identity(1), now: 501) == .allowed)
        #expect(cache.count == 1)
    }

    @Test func `the oldest response is evicted first`() {
        var cache = AnswerCache(maximumAllowed: 3, mostDenied: 1)
        for person: UInt128 in 1...3 { cache.keep(.allowed, of: identity(person), milliseconds: 1000, now: 0) }
        // The first one is renewed, so the second is the oldest.
        cache.keep(.allowed, of: identity(1), milliseconds: 1000, now: 1)
        cache.keep(.allowed, of: identity(4), milliseconds: 1000, now: 2)
        #expect((1...4).map { cache.answer(identity($0), now: 3) } == [.allowed, nil, .allowed, .allowed])
    }

    @Test func `unknown keys evict no user`() {
        var cache = AnswerCache(maximumAllowed: 2, mostDenied: 2)
        cache.keep(.allowed, of: identity(1), milliseconds: 1000, now: 0)
        for person: UInt128 in 100...200 { cache.keep(.denied, of: identity(person), milliseconds: 1000, now: 0) }
        #expect(cache.answer(identity(1), now: 1) == .allowed)
        #expect(cache.count == 3)
    }

    @Test func `a forgotten person's responses are removed for all keys`() {
        var cache = AnswerCache()
        for credential: UInt128 in 1...3 { cache.keep(.allowed, of: identity(1, credential), milliseconds: 1000, now: 0) }
        cache.keep(.denied, of: identity(1, 4), milliseconds: 1000, now: 0)
        cache.keep(.allowed, of: identity(2), milliseconds: 1000, now: 0)
        cache.forget(person: 1)
        #expect(cache.count == 1)
        #expect(cache.answer(identity(2), now: 1) == .allowed)
        cache.forget(person: nil)
        #expect(cache.answer(identity(2), now: 1) == nil)
        #expect(cache.wasAllowed(identity(2)))
    }

    @Test func `removing all responses keeps the order of known keys`() {
        var cache = AnswerCache(maximumAllowed: 2)
        for person: UInt128 in 1...2 { cache.keep(.allowed, of: identity(person), milliseconds: 1000, now: 0) }
        cache.keep(.denied, of: identity(9), milliseconds: 1000, now: 0)
        cache.forget(person: nil)
        #expect(cache.count == 2, "a no leaves no mark")
        cache.keep(.allowed, of: identity(3), milliseconds: 1000, now: 0)
        #expect((1...3).map { cache.wasAllowed(identity($0)) } == [false, true, true])
    }

    /// Compared with a list that is searched from its end.
    @Test(arguments: 1...5 as ClosedRange<UInt64>) func `behaves like a simple list`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var cache = AnswerCache(maximumAllowed: 8, mostDenied: 4)
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
                guard life > 0 || answer == .allowed else { continue }
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
