import Core
import TestSupport
import Testing
import Time

@Suite struct RetryPolicyTests {
    private static let attempts = [Int.min, -1, 0, 1, 2, 7, 8, 60, 63, 64, 65, 1000, .max]

    @Test func `the policy has the documented defaults`() {
        #expect(
            RetryPolicy.webhook
                == RetryPolicy(
                    baseMilliseconds: 5000, floorMilliseconds: 1000, ceilingMilliseconds: 600_000, retryAfterCeilingMilliseconds: 3_600_000)
        )
        #expect(RetryPolicy.webhook.maximumAttempts == nil)
        #expect(RetryPolicy.breaker.ceilingMilliseconds * 2 == RetryPolicy.webhook.ceilingMilliseconds)
    }

    /// The longest delays, listed one by one.
    @Test(arguments: zip(1...9, [5000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000] as [UInt64]))
    func `doubles up to the ceiling`(attempt: Int, longest: UInt64) {
        var random = SeededGenerator(seed: UInt64(attempt))
        let delays = (0..<2000).map { _ in
            RetryPolicy.webhook.delayMilliseconds(afterAttempt: attempt, retryAfterMilliseconds: nil, random: &random)
        }
        #expect(delays.allSatisfy { (1000...longest).contains($0) })
        // Full jitter: values near both ends occur, and the mean is in the middle.
        let width = longest - 1000
        #expect(delays.contains { $0 <= 1000 + width / 50 })
        #expect(delays.contains { $0 >= longest - width / 50 })
        let mean = delays.reduce(0, +) / 2000
        #expect((1000 + width * 45 / 100...1000 + width * 55 / 100).contains(mean))
    }

    /// For any policy and attempt: within the limits, without a trap.
    @Test(arguments: 0..<200)
    func `stays within its limits`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let policy = arbitraryPolicy(&random)
        for attempt in Self.attempts {
            let own = policy.delayMilliseconds(afterAttempt: attempt, retryAfterMilliseconds: nil, random: &random)
            #expect((policy.floorMilliseconds...policy.ceilingMilliseconds).contains(own))
            #expect(own <= max(policy.floorMilliseconds, model(policy, attempt)))
            let asked = random.next() >> UInt64.random(in: 0...63, using: &random)
            let reported = policy.delayMilliseconds(afterAttempt: attempt, retryAfterMilliseconds: asked, random: &random)
            #expect(reported == max(policy.floorMilliseconds, min(asked, policy.retryAfterCeilingMilliseconds)))
        }
    }

    @Test(arguments: [
        (0, 1000), (999, 1000), (1000, 1000), (77_777, 77_777), (3_600_000, 3_600_000), (3_600_001, 3_600_000), (.max, 3_600_000),
    ])
    func `Retry-After applies within limits`(asked: UInt64, delay: UInt64) {
        var random = SeededGenerator(seed: 1)
        for attempt in Self.attempts {
            let reported = RetryPolicy.webhook.delayMilliseconds(afterAttempt: attempt, retryAfterMilliseconds: asked, random: &random)
            #expect(reported == delay)
        }
    }

    /// FCM's minimum, which a shorter Retry-After does not lower, and APNs's recommendation after its own failures.
    @Test(arguments: 0..<100)
    func `leaves push providers time to recover`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func delay(_ attempt: Int, _ asked: UInt64? = nil) -> UInt64 {
            RetryPolicy.push.delayMilliseconds(afterAttempt: attempt, retryAfterMilliseconds: asked, random: &random)
        }
        #expect((10_000...20_000).contains(delay(1)))
        #expect((10_000...40_000).contains(delay(2)))
        #expect((10_000...900_000).contains(delay(50)))
        #expect(delay(1, 1) == 10_000)
        #expect(delay(1, 60_000) == 60_000)
        #expect(delay(1, .max) == 3_600_000)
    }

    @Test func `ends exactly at the expiry`() {
        var random = SeededGenerator(seed: 1)
        func next(now: UnixMilliseconds, expiry: UnixMilliseconds) -> RetryDecision {
            RetryPolicy.webhook.next(
                afterAttempt: 1, now: now, expiresAt: expiry, retryAfterMilliseconds: 2000, random: &random)
        }
        #expect(next(now: 10_000, expiry: 12_001) == .retry(at: 12_000))
        #expect(next(now: 10_000, expiry: 12_000) == .giveUp(.expired))
        #expect(next(now: 10_000, expiry: 10_000) == .giveUp(.expired))
        #expect(next(now: 10_000, expiry: 9999) == .giveUp(.expired))
        #expect(next(now: .max, expiry: .max) == .giveUp(.expired))
        #expect(next(now: .max - 2001, expiry: .max) == .retry(at: .max - 1))
    }

    @Test func `ends after the last attempt`() {
        var random = SeededGenerator(seed: 1)
        let policy = RetryPolicy(
            baseMilliseconds: 1, floorMilliseconds: 1, ceilingMilliseconds: 1, retryAfterCeilingMilliseconds: 1, maximumAttempts: 3)
        let decisions = (1...4).map { policy.next(afterAttempt: $0, now: 5, expiresAt: 100, random: &random) }
        #expect(decisions == [.retry(at: 6), .retry(at: 6), .giveUp(.attemptsSpent), .giveUp(.attemptsSpent)])
        #expect(RetryDecision.Ending.allCases.map(\.rawValue) == ["expired", "attempts_spent"])
    }

    /// A delivery that always fails ends after about as many attempts as the policy allows.
    @Test(arguments: 0..<20)
    func `a day has about three hundred attempts`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let expiry: UnixMilliseconds = 86_400_000
        var (now, attempt): (UnixMilliseconds, Int) = (0, 1)
        while case .retry(let next) = RetryPolicy.webhook.next(
            afterAttempt: attempt, now: now, expiresAt: expiry, random: &random)
        {
            #expect(next >= now + 1000)
            #expect(next < expiry)
            (now, attempt) = (next, attempt + 1)
        }
        #expect((200...400).contains(attempt))
    }

    private func arbitraryPolicy(_ random: inout SeededGenerator) -> RetryPolicy {
        func number() -> UInt64 { random.next() >> UInt64.random(in: 0...64, using: &random) }
        let bounds = [number(), number(), number()].sorted()
        let isSwapped = Bool.random(using: &random)
        return RetryPolicy(
            baseMilliseconds: number(), floorMilliseconds: bounds[0], ceilingMilliseconds: bounds[isSwapped ? 2 : 1],
            retryAfterCeilingMilliseconds: bounds[isSwapped ? 1 : 2])
    }

    /// The exponential backoff, doubled step by step in wide integers.
    private func model(_ policy: RetryPolicy, _ attempt: Int) -> UInt64 {
        var delay = UInt128(policy.baseMilliseconds)
        for _ in 0..<min(64, max(0, attempt < 1 ? 0 : attempt - 1)) { delay = min(delay * 2, UInt128(policy.ceilingMilliseconds) * 2) }
        return UInt64(min(delay, UInt128(policy.ceilingMilliseconds)))
    }
}
