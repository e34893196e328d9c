import Core
import Testing

struct ProviderTokenStateTests {
    private static let minute = TokenLife.minute

    @Test func `one fetch serves all callers`() {
        var life = TokenLife(.apns)
        for _ in 0..<10 { #expect(life.request() == .wait) }
        #expect(life.fetched(.token("a", lifetimeMilliseconds: 60 * Self.minute)) == .token("a"))
        for _ in 0..<10 { #expect(life.request() == .token("a")) }
        #expect(life.fetching == nil)
    }

    @Test func `APNs tokens are renewed after 45 minutes and not used beyond 59`() {
        var life = TokenLife(.apns)
        life.obtain("a")
        life.pass(45 * Self.minute - 1)
        #expect(life.request() == .token("a"))
        #expect(life.fetching == nil)
        life.pass(1)
        #expect(life.request() == .token("a"))
        #expect(life.fetching == 0)
        life.pass(14 * Self.minute - 1)
        #expect(life.request() == .token("a"))
        life.pass(1)
        #expect(life.request() == .wait)
        life.fetched(.token("b", lifetimeMilliseconds: 60 * Self.minute))
        #expect(life.request() == .token("b"))
    }

    @Test func `OAuth tokens are renewed 5 minutes before their end`() {
        var life = TokenLife(.oauth)
        life.obtain("a", lifetime: 3599_000)
        life.pass(3599_000 - 5 * Self.minute - 1)
        #expect(life.request() == .token("a"))
        #expect(life.fetching == nil)
        life.pass(1)
        #expect(life.request() == .token("a"))
        #expect(life.fetching == 0)
        life.fetched(.token("b", lifetimeMilliseconds: 3599_000))
        #expect(life.request() == .token("b"))
    }

    @Test func `a lifetime starts at the beginning of the fetch`() {
        var life = TokenLife(.oauth)
        #expect(life.request() == .wait)
        life.pass(10 * Self.minute)
        life.fetched(.token("a", lifetimeMilliseconds: 60 * Self.minute))
        life.pass(45 * Self.minute)
        #expect(life.request() == .token("a"))
        #expect(life.fetching == 0, "55 minutes old")
    }

    @Test func `half of a short lifetime is used, and an unlimited one is shortened`() {
        var life = TokenLife(.oauth)
        life.obtain("a", lifetime: 20_000)
        life.pass(9999)
        #expect(life.request() == .token("a"))
        life.pass(1)
        #expect(life.request() == .wait)
        life.fetched(.token("b", lifetimeMilliseconds: .max))
        life.pass(24 * 60 * Self.minute)
        #expect(life.request() == .wait)
        life.fetched(.token("c", lifetimeMilliseconds: 0))
        #expect(life.request() == .wait)
    }

    @Test func `a failed renewal affects no caller and is repeated with backoff`() {
        var life = TokenLife(.oauth)
        life.obtain("a")
        life.pass(55 * Self.minute)
        var fetches = 0
        for _ in 0..<240 {
            #expect(life.request() == .token("a"))
            if life.fetching != nil {
                fetches += 1
                #expect(life.fetched(.unavailable(reason: "token_timeout", retryAfterMilliseconds: nil)).reason == "token_timeout")
            }
            life.pass(1000)
        }
        // Two seconds later it would be 240.
        #expect(fetches > 4)
        #expect(fetches < 60)
    }

    @Test func `a failure reaches all callers with the time to wait`() throws {
        var life = TokenLife(.oauth)
        #expect(life.request() == .wait)
        let failed = life.fetched(.unavailable(reason: "token_status_503", retryAfterMilliseconds: 90_000))
        #expect(failed.retryAfter == 90_000)
        life.pass(30_000)
        #expect(life.request() == .failure(.init(.unavailable(retryAfterMilliseconds: 60_000), reason: "token_status_503")))
        #expect(life.fetching == nil)
        life.pass(60_000)
        #expect(life.request() == .wait)
        #expect(life.fetching != nil)
    }

    @Test func `a backoff has a minimum, for any response of the provider`() throws {
        var life = TokenLife(.oauth)
        #expect(life.request() == .wait)
        let failed = life.fetched(.unavailable(reason: "token_status_503", retryAfterMilliseconds: 0))
        #expect(try #require(failed.retryAfter) >= 1000)
        #expect(life.request() == failed)
    }

    @Test func `a rejected credential stays rejected for the next request`() throws {
        var life = TokenLife(.oauth)
        #expect(life.request() == .wait)
        let refusal = TokenLife.Got.failure(.init(.refused, reason: "token_invalid_grant"))
        #expect(life.fetched(.refused(reason: "token_invalid_grant", providerUnixSeconds: nil)) == refusal)
        #expect(life.request() == refusal)
        life.pass(Self.minute)
        life.obtain("a")
    }

    @Test func `a success resets the count of failures`() {
        var life = TokenLife(.oauth)
        for _ in 0..<8 {
            #expect(life.request() == .wait)
            life.fetched(.unavailable(reason: "token_timeout", retryAfterMilliseconds: nil))
            life.pass(Self.minute)
        }
        life.obtain("a", lifetime: 20_000)
        life.pass(20_000)
        #expect(life.request() == .wait)
        let failed = life.fetched(.unavailable(reason: "token_timeout", retryAfterMilliseconds: nil))
        #expect((1000...2000).contains(failed.retryAfter ?? 0))
    }

    @Test func `neither a token nor its content is printed`() {
        var life = TokenLife(.oauth)
        life.obtain("very-secret")
        guard case .use(let token) = life.state.request(now: life.now) else { return #expect(Bool(false)) }
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped, "\(Optional(token) as Any)"] {
            #expect(!text.contains("very-secret"))
        }
    }
}
