import Core
import Crypto
import JSON
import Notifiers
import TestSupport
import Testing
import Time
import WebTokens

struct GoogleTokenSourceTests {
    private static let granted = ScriptedStep.respond(
        200, headers: ["Content-Type: application/json; charset=UTF-8"],
        body: #"{"access_token":"ya29.c.b0Aa","expires_in":3599,"token_type":"Bearer"}"#)

    @Test func `a signed assertion is exchanged for a token`() throws {
        try ExchangeFixture.with(.everyRequest(Self.granted)) { fixture in
            #expect(try fixture.google().fetched() == .token("ya29.c.b0Aa", lifetime: 3_599_000))
            let request = try #require(fixture.server.requests.first)
            #expect(request.method == "POST")
            #expect(request.target == "/token")
            #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
            let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
            try #require(request.text.hasPrefix(prefix))
            let key = try RS256PublicKey(pem: TestKey.sharedRSA.publicPEM.utf8.span)
            let assertion = try VerifiedWebToken(String(request.text.dropFirst(prefix.count)), key: key)
            #expect(assertion.header == ["alg": "RS256", "typ": "JWT", "kid": "0123456789abcdef"])
            #expect(
                assertion.claims == [
                    "iss": "deskgate@shop-1234.iam.gserviceaccount.com", "scope": "https://www.googleapis.com/auth/firebase.messaging",
                    "aud": .string(fixture.server.url("/token")), "iat": 1_699_999_990, "exp": 1_700_003_590,
                ])
        }
    }

    @Test func `a refusal contains Google's time because a wrong clock may have caused it`() throws {
        let body = #"{"error":"invalid_grant","error_description":"Invalid JWT: Token must be a short-lived token"}"#
        let refused = ScriptedStep.respond(400, headers: ["Date: Tue, 14 Nov 2023 23:13:20 GMT"], body: body)
        try ExchangeFixture.with(.everyRequest(refused)) { fixture in
            let source = try fixture.google()
            #expect(try source.fetched() == .refused("token_invalid_grant", providerUnixSeconds: 1_700_003_600))
        }
    }

    /// End to end over a real socket: the cache detects the wrong clock and gets a token with the correct time.
    @Test func `a wrong clock is repaired by the next exchange`() throws {
        let refused = ScriptedStep.respond(
            400, headers: ["Date: Tue, 14 Nov 2023 23:13:20 GMT"], body: #"{"error":"invalid_grant"}"#)
        try ExchangeFixture.with(.requests([[refused], [Self.granted]])) { fixture in
            let (clocks, answers) = (fixture.clocks, Answers())
            let cache = ProviderTokenCache(
                try fixture.google(), policy: .oauth, monotonicMilliseconds: { clocks.monotonicMilliseconds() },
                unixMilliseconds: { clocks.unixMilliseconds() })
            cache.token { answers.add($0) }
            let skewed = ProviderTokenFailure(
                .unavailable(retryAfterMilliseconds: 0), reason: "clock_skew", clockSkewSeconds: 3600)
            let first = try answers.wait(1)[0]
            #expect(throws: skewed) { try first.get() }
            cache.token { answers.add($0) }
            _ = try answers.wait(2)
            #expect(answers.texts[1] == "ya29.c.b0Aa")
            let text = try #require(fixture.server.requests.last?.text.split(separator: "assertion=").last)
            let key = try RS256PublicKey(pem: TestKey.sharedRSA.publicPEM.utf8.span)
            #expect(try VerifiedWebToken(String(text), key: key).claims["iat"] == 1_700_003_590)
        }
    }

    @Test func `concurrent requests share one exchange`() throws {
        try ExchangeFixture.with(.everyRequest(.awaitRelease, Self.granted)) { fixture in
            let (clocks, answers) = (fixture.clocks, Answers())
            let cache = ProviderTokenCache(
                try fixture.google(), policy: .oauth, monotonicMilliseconds: { clocks.monotonicMilliseconds() },
                unixMilliseconds: { clocks.unixMilliseconds() })
            onThreads(8) { _ in
                for _ in 0..<20 { cache.token { answers.add($0) } }
            }
            #expect(answers.all.isEmpty)
            fixture.server.release()
            _ = try answers.wait(160)
            #expect(answers.texts == [String](repeating: "ya29.c.b0Aa", count: 160))
            #expect(fixture.server.requests.count == 1)
        }
    }
}
