import Core
import Crypto
import TestSupport
import Testing
import Time

/// The grant of a bot's start ends with the security key.
@Suite struct BotGrantTests {
    private static let now = Samples.now
    private static let keyIssuedAt = now - 1000

    private static func key(_ keyID: UInt32 = 1, issuedAt: UnixSeconds = keyIssuedAt, salt: UInt8 = 9) -> KeyIdentity {
        BotSamples.key(keyID, issuedAt: issuedAt, salt: salt)
    }

    private static func grant(_ userID: String = "ann", app: String = "shop", key: KeyIdentity? = key()) -> BotGrant {
        BotSamples.grant(userID, app: app, key: key, issuedAt: now)
    }

    // MARK: Its end

    @Test(
        arguments: [
            ("a key that lives longer", 601, 600), ("a key that lives as long", 600, 600), ("a key of half a minute", 30, 30),
            ("a key of a second", 1, 1), ("a key that ends now", 0, nil), ("a key that has ended", -1, nil),
        ] as [(String, Int64, UInt64?)])
    func `ends with the key`(_ name: String, keyLifetime: Int64, life: UInt64?) throws {
        let grant = BotGrant(
            appID: "shop", userID: "ann", key: Self.key(), keyEnd: Self.now.advanced(by: keyLifetime), issuedAt: Self.now,
            lifetimeSeconds: 600)
        #expect(grant?.expiresAt == life.map { Self.now + $0 }, "\(name)")
        #expect(grant?.issuedAt == life.map { _ in Self.now }, "\(name)")
    }

    @Test func `has its own lifetime in backend mode`() throws {
        let grant = BotGrant(appID: "shop", userID: "ann", key: nil, keyEnd: .max, issuedAt: Self.now, lifetimeSeconds: 600)
        #expect(grant?.expiresAt == Self.now + 600)
    }

    // MARK: Revocations

    /// A key and its grant are checked in the same way.
    @Test(
        arguments: [
            ("nothing", nil, nil, nil, nil), ("another person", .user("bob"), nil, nil, nil),
            ("the person", .user("ann"), nil, .revoked, .revoked),
            ("the person's keys of that second", .user("ann"), keyIssuedAt + 1, .revoked, nil),
            ("the person's keys before that second", .user("ann"), keyIssuedAt, nil, nil),
            ("all that the person had until the start", .user("ann"), now + 1, .revoked, .revoked),
            ("all keys of that second", .everyKey, keyIssuedAt + 1, .revoked, nil),
            ("all keys before that second", .everyKey, keyIssuedAt, nil, nil),
            ("all that was issued until the start", .everyKey, now + 1, .revoked, .revoked),
            ("the key id", .keyID(1), nil, .revoked, nil), ("the key id's keys of that second", .keyID(1), keyIssuedAt + 1, .revoked, nil),
            ("the key id's keys before that second", .keyID(1), keyIssuedAt, nil, nil), ("another key id", .keyID(2), nil, nil, nil),
            ("the key", .securityKey(salt: [UInt8](repeating: 9, count: 16)), nil, .revoked, nil),
            ("another key", .securityKey(salt: [UInt8](repeating: 8, count: 16)), nil, nil, nil),
        ] as [(String, Revocation.Subject?, UnixSeconds?, Denial?, Denial?)])
    func `ends with a revocation`(
        _ name: String, subject: Revocation.Subject?, before: UnixSeconds?, denial: Denial?, keyless: Denial?
    ) throws {
        let authorizer = try Authorizer([Samples.application("shop", keys: 1, 2), Samples.application("shop2", keys: 1)])
        var book = RevocationSet()
        if let subject { book.apply(.added(.sample(1, appID: "shop", subject, issuedBefore: before))) }
        let revocations = book.snapshot
        #expect(try authorizer.denial(of: Self.grant(), now: Self.now, revocations: revocations) == denial, "\(name)")
        #expect(
            try authorizer.denial(of: Self.grant(key: nil), now: Self.now, revocations: revocations) == keyless, "\(name), without a key")
        #expect(
            try authorizer.denial(of: Self.grant(app: "shop2"), now: Self.now, revocations: revocations) == nil, "\(name), of another app")
        let triple = try Samples.triple("shop", "ann", issuedAt: Self.keyIssuedAt, salt: 9)
        let verdict = authorizer.authorize(triple, now: Self.now, revocations: revocations).verdict
        #expect(verdict == (denial == nil ? .authorized(keyID: 1) : .denied(.revoked, keyID: 1)), "\(name), the key itself")
    }

    @Test(arguments: [nil, key()]) func `ends with a person who is forgotten`(_ key: KeyIdentity?) throws {
        let authorizer = try Authorizer([Samples.application("shop", keys: 1)])
        var book = RevocationSet()
        let former = try FormerUser(AppUser(appID: "shop", userID: "ann"), salt: [UInt8](0..<32))
        book.apply(.added(.sample(1, appID: "shop", .formerUser(former))))
        #expect(try authorizer.denial(of: Self.grant(key: key), now: Self.now, revocations: book.snapshot) == .revoked)
        #expect(try authorizer.denial(of: Self.grant("bob", key: key), now: Self.now, revocations: book.snapshot) == nil)
    }

    /// The clock of the backend that minted the key is ahead: a sign-out right after the start still ends the grant.
    @Test func `the earlier time of issue is used`() throws {
        let authorizer = try Authorizer([Samples.application("shop", keys: 1)])
        var book = RevocationSet()
        book.apply(.added(.sample(1, appID: "shop", .user("ann"), issuedBefore: Revocation.bound(after: Self.now))))
        let ahead = Self.grant(key: Self.key(issuedAt: Self.now + 30))
        #expect(try authorizer.denial(of: ahead, now: Self.now, revocations: book.snapshot) == .revoked)
    }

    // MARK: The configuration

    @Test(
        arguments: [
            ("the secret is there", 1, nil, nil, nil), ("the secret is gone", 3, nil, nil, .unknownKey),
            ("the secret's time is over", 1, now - 61, nil, .keyRetired),
            ("the secret's time is over, as clocks may differ", 1, now - 60, nil, nil),
            ("keys may live as long", 1, nil, 940, nil), ("keys may not live as long", 1, nil, 939, .tooOld),
        ] as [(String, UInt8, UnixSeconds?, UInt64?, Denial?)])
    func `ends with the secret`(_ name: String, keyID: UInt8, notAfter: UnixSeconds?, longest: UInt64?, denial: Denial?) throws {
        let key = Application.Key(id: UInt32(keyID), secret: try Samples.secret(keyID), notAfter: notAfter)
        let authorizer = try Authorizer([Application(id: "shop", keys: [key], life: KeyLifetime(maximumSeconds: longest))])
        #expect(try authorizer.denial(of: Self.grant(), now: Self.now, revocations: .none) == denial, "\(name)")
    }

    @Test(arguments: [nil, key()]) func `ends with the app`(_ key: KeyIdentity?) throws {
        let authorizer = try Authorizer([Samples.application("shop", keys: 1)])
        #expect(try authorizer.denial(of: Self.grant(app: "gone", key: key), now: Self.now, revocations: .none) == .unknownApp)
    }
}
