import Core
import Testing
import Time

struct TokenRefusalTests {
    private static let minute = TokenLife.minute

    @Test func `an expired token is replaced once, for any number of rejected requests`() throws {
        var life = TokenLife(.apns)
        life.obtain("a")
        #expect(try life.refused("a") == .askAgain)
        #expect(life.request() == .wait)
        #expect(try life.refused("a") == .askAgain)
        #expect(life.request() == .wait)
        life.fetched(.token("b", lifetimeMilliseconds: 60 * Self.minute))
        #expect(try life.refused("a") == .askAgain)
        #expect(life.request() == .token("b"))
        #expect(life.fetching == nil)
    }

    @Test func `tokens with equal texts are distinct`() throws {
        var life = TokenLife(.oauth)
        life.obtain("a")
        let first = try #require(life.tokens["a"])
        #expect(try life.refused("a") == .askAgain)
        life.obtain("a")
        let again = life.state.refused(first, isExpired: true, providerUnixSeconds: nil, now: life.now, unixSeconds: life.unixSeconds)
        #expect(again == .askAgain)
        #expect(life.request() == .token("a"))
    }

    @Test func `a token that was a replacement is not replaced within 20 minutes`() throws {
        var life = TokenLife(.apns)
        life.obtain("a")
        #expect(try life.refused("a") == .askAgain)
        life.obtain("b")
        life.pass(Self.minute)
        let held = ProviderTokenFailure(.unavailable(retryAfterMilliseconds: 19 * Self.minute), reason: "token_refused")
        #expect(try life.refused("b") == .hold(held))
        #expect(life.request() == .failure(held))
        life.pass(19 * Self.minute - 1)
        #expect(life.request().retryAfter == 1)
        life.pass(1)
        life.obtain("c")
        #expect(try life.refused("c") == .askAgain)
    }

    @Test func `a credential rejected for another reason causes no new token`() throws {
        var life = TokenLife(.apns)
        life.obtain("a")
        #expect(try life.refused("a", isExpired: false) == .credentialRefused)
        #expect(try life.refused("a", isExpired: false, providerUnixSeconds: life.unixSeconds + 299) == .credentialRefused)
        #expect(life.request() == .token("a"))
    }

    @Test(arguments: [-86_400, -301, 301, 3600, 500_000_000] as [Int64], [true, false])
    func `a wrong clock is detected, and tokens are minted with the provider's time`(skew: Int64, isExpired: Bool) throws {
        var life = TokenLife(.apns)
        life.obtain("a")
        #expect(
            try life.refused("a", isExpired: isExpired, providerUnixSeconds: life.unixSeconds.advanced(by: skew))
                == .clockSkew(seconds: skew))
        #expect(life.state.clockCorrectionSeconds == skew)
        #expect(life.request() == .wait)
        #expect(life.fetching == skew)
        // Further rejections do not report it again.
        #expect(try life.refused("a", isExpired: isExpired, providerUnixSeconds: life.unixSeconds.advanced(by: skew)) == .askAgain)
        life.fetched(.token("b", lifetimeMilliseconds: 60 * Self.minute))
        // A token minted with the provider's time is not rejected because of the clock.
        #expect(try life.refused("b", isExpired: false, providerUnixSeconds: life.unixSeconds.advanced(by: skew)) == .credentialRefused)
    }

    @Test(arguments: [-300, 0, 300] as [Int64])
    func `nearly equal clocks need no correction`(skew: Int64) throws {
        var life = TokenLife(.apns)
        life.obtain("a")
        #expect(try life.refused("a", providerUnixSeconds: life.unixSeconds.advanced(by: skew)) == .askAgain)
        #expect(life.state.clockCorrectionSeconds == 0)
    }

    @Test func `the correction ends when the clock is set right`() throws {
        var life = TokenLife(.apns)
        life.obtain("a")
        #expect(try life.refused("a", providerUnixSeconds: life.unixSeconds + 7200) == .clockSkew(seconds: 7200))
        life.obtain("b")
        life.unixSeconds += 7200
        life.pass(30 * Self.minute)
        #expect(try life.refused("b", providerUnixSeconds: life.unixSeconds) == .clockSkew(seconds: 0))
        #expect(life.request() == .wait)
        #expect(life.fetching == 0)
    }

    @Test func `corrections of a jumping clock are rate limited`() throws {
        var life = TokenLife(.apns)
        life.obtain("a")
        #expect(try life.refused("a", providerUnixSeconds: life.unixSeconds + 7200) == .clockSkew(seconds: 7200))
        life.obtain("b")
        let held = ProviderTokenFailure(
            .unavailable(retryAfterMilliseconds: 20 * Self.minute), reason: "clock_skew", clockSkewSeconds: -7200)
        #expect(try life.refused("b", providerUnixSeconds: life.unixSeconds - 7200) == .hold(held))
    }

    @Test func `a fetch rejected because of the clock is repeated at once, then with backoff`() throws {
        var life = TokenLife(.oauth)
        #expect(life.request() == .wait)
        let skewed = life.fetched(.refused(reason: "token_invalid_grant", providerUnixSeconds: life.unixSeconds - 4000))
        #expect(skewed == .failure(.init(.unavailable(retryAfterMilliseconds: 0), reason: "clock_skew", clockSkewSeconds: -4000)))
        #expect(life.request() == .wait)
        #expect(life.fetching == -4000)
        let refused = life.fetched(.refused(reason: "token_invalid_grant", providerUnixSeconds: life.unixSeconds - 4000))
        #expect(refused == .failure(.init(.refused, reason: "token_invalid_grant")))
        #expect(life.request() == refused)
        life.pass(Self.minute)
        #expect(life.request() == .wait)
        let jumped = life.fetched(.refused(reason: "token_invalid_grant", providerUnixSeconds: life.unixSeconds + 4000))
        #expect(jumped.reason == "clock_skew")
        #expect(try #require(jumped.retryAfter) >= 1000)
    }

    @Test func `after too many tokens the current one is kept and all requests stop for a while`() throws {
        var life = TokenLife(.apns)
        life.obtain("a")
        life.pass(46 * Self.minute)
        let failure = life.state.tooManyUpdates(now: life.now, retryAfterMilliseconds: 120_000, random: &life.random)
        #expect(failure == .init(.unavailable(retryAfterMilliseconds: 120_000), reason: "too_many_token_updates"))
        life.pass(1000)
        // Requests that were running when it began do not prolong it.
        let second = life.state.tooManyUpdates(now: life.now, retryAfterMilliseconds: nil, random: &life.random)
        #expect(second.kind == .unavailable(retryAfterMilliseconds: 119_000))
        #expect(life.request() == .failure(second))
        life.pass(119_000)
        #expect(life.request() == .token("a"))
        #expect(life.fetching == nil, "20 minutes without minting")
        life.pass(11 * Self.minute)
        #expect(life.request().reason == "too_many_token_updates")
        #expect(life.request().retryAfter == 7 * Self.minute)
        life.pass(7 * Self.minute)
        life.obtain("b")
    }

    @Test func `repeated rejections increase the backoff`() {
        var life = TokenLife(.apns)
        life.obtain("a")
        var waits: [UInt64] = []
        for _ in 0..<6 {
            let failure = life.state.tooManyUpdates(now: life.now, retryAfterMilliseconds: nil, random: &life.random)
            guard case .unavailable(let wait) = failure.kind else { return #expect(Bool(false)) }
            waits.append(wait)
            life.pass(wait)
        }
        #expect(waits[0] <= Self.minute)
        #expect(waits.allSatisfy { 30_000...20 * Self.minute ~= $0 })
        #expect(waits.max() ?? 0 > 2 * Self.minute)
    }
}
