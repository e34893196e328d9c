import Core
import Testing
import Time

@Suite struct AuthorizerTests {
    private let authorizer: Authorizer

    init() throws {
        authorizer = try Authorizer([
            Samples.application("shop", keys: 1, 2), Samples.application("shop2", keys: 1), Samples.application("bank", keys: 3),
            Samples.application("caf\u{e9}", keys: 4), Samples.application("cafe\u{301}", keys: 5),
        ])
    }

    @Test func `orders apps and keys by their bytes`() throws {
        let ids = authorizer.applications.map { String(decoding: $0.id, as: UTF8.self) }
        #expect(ids.map { Array($0.utf8) } == ["bank", "cafe\u{301}", "caf\u{e9}", "shop", "shop2"].map { Array($0.utf8) })
        #expect(try Samples.application("app", keys: 9, 2, 5).keys.map(\.id) == [2, 5, 9])
    }

    @Test func `finds each app and no other`() {
        for (index, application) in authorizer.applications.enumerated() {
            #expect(authorizer.index(of: application.id.span) == index)
        }
        for id in ["", "a", "ban", "bank\0", "bankz", "cafe", "CAFÉ", "shop1", "shop22", "zzz", "\u{10FFFF}"] {
            let bytes = Array(id.utf8)
            let index = authorizer.index(of: bytes.span)
            #expect(index == nil, "\(id)")
        }
    }

    @Test func `finds nothing among no apps`() throws {
        let decision = try Authorizer([]).authorize(try Samples.triple("shop", "user"), now: Samples.now)
        #expect(decision.verdict == .denied(.unknownApp, keyID: nil))
        #expect(decision.application == nil)
    }

    @Test func `a verdict has its app and key`() throws {
        for keyID in [UInt8(1), 2] {
            let decision = authorizer.authorize(try Samples.triple("shop", "user", keyID: keyID), now: Samples.now)
            #expect(decision.verdict == .authorized(keyID: UInt32(keyID)))
            #expect(decision.application == 3)
        }
    }

    @Test func `denies an unknown app even if the key is well formed`() throws {
        let decision = authorizer.authorize(try Samples.triple("stop", "user"), now: Samples.now)
        #expect(decision.verdict == .denied(.unknownApp, keyID: nil))
        #expect(decision.application == nil)
    }

    @Test func `denies an unknown key of a known app`() throws {
        let decision = authorizer.authorize(try Samples.triple("shop", "user", keyID: 3), now: Samples.now)
        #expect(decision.verdict == .denied(.unknownKey, keyID: nil))
        #expect(decision.application == 3)
    }

    @Test func `denies a forged key without further information`() throws {
        var triple = try Samples.triple("shop", "user", keyID: 2, expiresAt: Samples.now - 1000)
        triple.userID.append(UInt8(ascii: "s"))
        let decision = authorizer.authorize(triple, now: Samples.now)
        #expect(decision.verdict == .denied(.wrongMac, keyID: 2))
        #expect(decision.application == 3)
    }

    /// The two ids are equal in Swift: `String` compares by canonical equivalence.
    @Test func `keeps canonically equivalent apps apart`() throws {
        let (composed, decomposed) = (
            try Samples.triple("caf\u{e9}", "user", keyID: 4), try Samples.triple("cafe\u{301}", "user", keyID: 5)
        )
        #expect(authorizer.authorize(composed, now: Samples.now).application == 2)
        #expect(authorizer.authorize(decomposed, now: Samples.now).application == 1)
        let crossed = try Samples.triple("cafe\u{301}", "user", keyID: 4)
        #expect(authorizer.authorize(crossed, now: Samples.now).verdict == .denied(.unknownKey, keyID: nil))
    }

    @Test func `applies its own policy`() throws {
        let triple = try Samples.triple("shop", "user", expiresAt: 0)
        let strict = try Authorizer(authorizer.applications.map(copy), policy: KeyPolicy(clockSkewSeconds: 0, maximumLifetimeSeconds: 100))
        #expect(strict.authorize(triple, now: Samples.now + 100).verdict == .authorized(keyID: 1))
        #expect(strict.authorize(triple, now: Samples.now + 101).verdict == .denied(.tooOld, keyID: 1))
        #expect(authorizer.authorize(triple, now: .max).verdict == .authorized(keyID: 1))
    }

    @Test func `a secret is valid in any state until its end`() throws {
        let keys = [
            Application.Key(id: 1, secret: try Samples.secret(1), state: .verifyOnly),
            Application.Key(id: 2, secret: try Samples.secret(2), notAfter: Samples.now),
        ]
        let authorizer = try Authorizer([Application(id: "shop", keys: keys)])
        func verdict(_ keyID: UInt8, _ user: String = "user", now: UnixSeconds) throws -> Verdict {
            var triple = try Samples.triple("shop", "user", keyID: keyID)
            triple.userID = Array(user.utf8)
            return authorizer.authorize(triple, now: now).verdict
        }
        #expect(try verdict(1, now: Samples.now + 100) == .authorized(keyID: 1))
        #expect(try verdict(2, now: Samples.now + 60) == .authorized(keyID: 2))
        #expect(try verdict(2, now: Samples.now + 61) == .denied(.keyRetired, keyID: 2))
        // Only the caller of a valid key learns that the secret has ended.
        #expect(try verdict(2, "other", now: Samples.now + 61) == .denied(.wrongMac, keyID: 2))
    }

    @Test func `reports the first malformed field`() throws {
        var triple = try Samples.triple("shop", "user")
        triple.securityKey = []
        expect(triple, ValidationError(.securityKey, .empty))
        triple.userID = Array(repeating: UInt8(ascii: "u"), count: 101)
        expect(triple, ValidationError(.userID, .tooLong))
        triple.appID = [0x7F]
        expect(triple, ValidationError(.appID, .controlCharacter))
    }

    @Test func `rejects duplicate IDs`() async {
        await #expect(processExitsWith: .failure) { _ = try Samples.application("app", keys: 1, 1) }
        await #expect(processExitsWith: .failure) {
            _ = try Authorizer([Samples.application("app", keys: 1), Samples.application("app", keys: 2)])
        }
    }

    private func expect(_ triple: Triple, _ error: ValidationError) {
        let decision = authorizer.authorize(triple, now: Samples.now)
        #expect(decision.verdict == .malformed(error))
        #expect(decision.application == nil)
    }

    private func copy(_ application: Application) -> Application {
        Application(id: String(decoding: application.id, as: UTF8.self), keys: application.keys)
    }
}
