import Core
import Crypto
import Testing
import Time

@Suite struct VerifyModeTests {
    private func authorizer(_ mode: VerifyMode, keys: [UInt8] = [1]) throws -> Authorizer {
        let secret = try StandardWebhookSecret("whsec_\(Base64.encode([UInt8](1...32).span))")
        let keys = try keys.map { Application.Key(id: UInt32($0), secret: try Samples.secret($0)) }
        return try Authorizer(
            [
                Application(id: "shop", keys: keys, verification: mode, signingSecret: secret), try Samples.application("bank", keys: 1),
            ])
    }

    @Test func `a valid key is not enough`() throws {
        let triple = try Samples.triple("shop", "user")
        #expect(try authorizer(.key).authorize(triple, now: Samples.now).verdict == .authorized(keyID: 1))
        let decision = try authorizer(.keyAndBackend).authorize(triple, now: Samples.now)
        #expect(decision.verdict == .unconfirmed(keyID: 1))
        #expect(decision.application == 1)
        #expect(decision.confirmed(by: .authorized(keyID: 1)).verdict == .authorized(keyID: 1))
        #expect(decision.confirmed(by: .authorized(keyID: 1)).application == 1)
    }

    @Test func `an invalid key never reaches the backend`() throws {
        let authorizer = try authorizer(.keyAndBackend)
        let expired = try Samples.triple("shop", "user", expiresAt: Samples.now - 61)
        #expect(authorizer.authorize(expired, now: Samples.now).verdict == .denied(.expired, keyID: 1))
        var crossed = try Samples.triple("bank", "user")
        crossed[.appID] = Array("shop".utf8)
        #expect(authorizer.authorize(crossed, now: Samples.now).verdict == .denied(.wrongMac, keyID: 1))
        #expect(
            authorizer.authorize(Triple("shop", userID: "user", securityKey: "their own"), now: Samples.now).verdict
                == .malformed(ValidationError(.securityKey, .notASecurityKey)))
    }

    @Test func `the key decides for other apps`() throws {
        let triple = try Samples.triple("bank", "user")
        #expect(try authorizer(.backend).authorize(triple, now: Samples.now).verdict == .authorized(keyID: 1))
    }

    @Test(arguments: ["x", "dgk1.", "\u{1F600}", String(repeating: "k", count: 100), String(repeating: "\u{1F600}", count: 50), "a b.c/=%"])
    func `the backend's keys may be any text`(key: String) throws {
        for keys: [UInt8] in [[], [1]] {
            let decision = try authorizer(.backend, keys: keys).authorize(
                Triple("shop", userID: "user", securityKey: key), now: Samples.now)
            #expect(decision.verdict == .unconfirmed(keyID: nil))
        }
    }

    @Test(arguments: [
        ("", "security_key is empty; expected a string of 1 to 100 UTF-16 code units."),
        ("a\u{0}", "security_key holds a control character; expected a string of 1 to 100 UTF-16 code units."),
        ("a\u{7f}", "security_key holds a control character; expected a string of 1 to 100 UTF-16 code units."),
        (String(repeating: "k", count: 101), "security_key is too long; expected a string of 1 to 100 UTF-16 code units."),
        (
            String(repeating: "\u{1F600}", count: 50) + "k",
            "security_key is too long; expected a string of 1 to 100 UTF-16 code units."
        ),
    ])
    func `a malformed text is rejected`(key: String, sentence: String) throws {
        guard
            case .malformed(let error) = try authorizer(.backend).authorize(
                Triple("shop", userID: "user", securityKey: key), now: Samples.now
            ).verdict
        else {
            Issue.record("the key is not malformed")
            return
        }
        #expect(error.description == sentence)
    }

    @Test func `the rules of other fields apply`() throws {
        let authorizer = try authorizer(.backend)
        #expect(
            authorizer.authorize(Triple("shop", userID: "", securityKey: "k"), now: Samples.now).verdict
                == .malformed(ValidationError(.userID, .empty)))
        #expect(
            authorizer.authorize(Triple("", userID: "user", securityKey: "k"), now: Samples.now).verdict
                == .malformed(ValidationError(.appID, .empty)))
    }

    @Test func `an app without keys still has digests of its users`() throws {
        let (app, user, other) = (Array("shop".utf8), Array("user".utf8), Array("other".utf8))
        let reference = try authorizer(.backend, keys: []).userReference(appID: app.span, userID: user.span)
        #expect(reference?.utf8.count == 12)
        #expect(reference == (try authorizer(.backend, keys: []).userReference(appID: app.span, userID: user.span)))
        #expect(reference != (try authorizer(.backend, keys: []).userReference(appID: app.span, userID: other.span)))
        #expect(reference != (try authorizer(.backend).userReference(appID: app.span, userID: user.span)))
    }

    @Test func `an app without keys mints no key`() throws {
        let minting = KeyMinting(try authorizer(.backend, keys: []), defaultLifetimeSeconds: 60)
        let refusal = #expect(throws: KeyMinting.Refusal.self) { try minting.mint(appID: "shop", userID: "user", now: Samples.now) }
        guard case .noKey? = refusal else {
            Issue.record("unexpected refusal")
            return
        }
        #expect("\(KeyMinting.Refusal.noKey)" == #"The app has no key: "verify" leaves all decisions to its backend."#)
    }

    @Test func `identities depend on all three fields`() throws {
        let digest = try IdentityDigest()
        func identity(_ app: String, user: String, key: String) throws -> CheckIdentity {
            try digest.identity(appID: app.utf8.span, userID: user.utf8.span, securityKey: key.utf8.span)
        }
        let one = try identity("ab", user: "c", key: "k")
        #expect(try identity("ab", user: "c", key: "k") == one)
        #expect(try identity("ab", user: "c", key: "l").person == one.person)
        #expect(try identity("ab", user: "c", key: "l").credential != one.credential)
        #expect(try identity("a", user: "bc", key: "k").person != one.person)
        #expect(try identity("ab", user: "ck", key: "").credential != one.credential)
        #expect(try digest.person(appID: "ab".utf8.span, userID: "c".utf8.span) == one.person)
        #expect(try IdentityDigest().person(appID: "ab".utf8.span, userID: "c".utf8.span) != one.person)
    }
}
