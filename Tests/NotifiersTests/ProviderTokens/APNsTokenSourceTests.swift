import Core
import Crypto
import JSON
import TestSupport
import Testing
import WebTokens

@testable import Notifiers

struct APNsTokenSourceTests {
    @Test func `a token has Apple's format and is minted at once with the given time`() throws {
        let key = try ES256PrivateKey(pem: TestKey.sharedP256.privatePEM.utf8.span)
        let source = APNsTokenSource(key: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        let clocks = ManualClocks()
        let cache = ProviderTokenCache(
            source, policy: .apns, monotonicMilliseconds: { clocks.monotonicMilliseconds() },
            unixMilliseconds: { clocks.unixMilliseconds() })
        let answers = Answers()
        cache.token { answers.add($0) }
        let first = try #require(answers.all.first).get()
        let token = try VerifiedWebToken(first.text, key: key.publicKey)
        #expect(token.header == ["alg": "ES256", "kid": "ABC123DEFG"])
        #expect(token.claims == ["iss": "DEF123GHIJ", "iat": 1_700_000_000])

        clocks.pass(45 * 60_000)
        cache.token { answers.add($0) }
        cache.token { answers.add($0) }
        #expect(answers.texts[1] == first.text, "it is still handed out while the next is minted")
        let second = try VerifiedWebToken(answers.texts[2], key: key.publicKey)
        #expect(second.claims["iat"] == 1_700_002_700)
    }
}
