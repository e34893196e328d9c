import Core
import TestSupport
import Testing
import Time

@Suite struct RevocationsTests {
    private let authorizer: Authorizer
    private static let issuedAt = Samples.now - 100

    init() throws {
        authorizer = try Authorizer([Samples.application("shop", keys: 1, 2), Samples.application("shop2", keys: 1)])
    }

    private func verdict(
        _ revocations: [Revocation], appID: String = "shop", userID: String = "ann", keyID: UInt8 = 1,
        issuedAt: UnixSeconds = issuedAt, salt: UInt8 = 0
    ) throws -> Verdict {
        var revocationSet = RevocationSet()
        for revocation in revocations { revocationSet.apply(.added(revocation)) }
        let triple = try Samples.triple(appID, userID, keyID: keyID, issuedAt: issuedAt, salt: salt)
        return authorizer.authorize(triple, now: Samples.now, revocations: revocationSet.snapshot).verdict
    }

    private func revocation(_ subject: Revocation.Subject, before: UnixSeconds? = nil, _ number: UInt64 = 1) -> Revocation {
        .sample(number, appID: "shop", subject, issuedBefore: before)
    }

    private static let valid = Verdict.authorized(keyID: 1)
    private static let revoked = Verdict.denied(.revoked, keyID: 1)

    @Test func `a single key can be revoked`() throws {
        let one = revocation(.securityKey(salt: [UInt8](repeating: 7, count: 16)))
        #expect(try verdict([one], salt: 7) == Self.revoked)
        #expect(try verdict([one], appID: "shop", userID: "bob", salt: 7) == Self.revoked, "a salt is random, so nobody else has it")
        #expect(try verdict([one], salt: 8) == Self.valid)
        #expect(try verdict([one], appID: "shop2", salt: 7) == Self.valid)
    }

    /// The key with the largest id mints.
    @Test func `revoked key ids are listed with the minting one`() throws {
        func found(_ revocations: [Revocation]) -> [String] {
            var revocationSet = RevocationSet()
            for revocation in revocations { revocationSet.apply(.added(revocation)) }
            return authorizer.revokedKeys(revocationSet.snapshot, now: Samples.now).map {
                "\($0.app) \($0.keyID)\($0.isMinting ? " mints" : ""), \($0.other.map(String.init) ?? "none")"
            }
        }
        #expect(found([]) == [])
        #expect(found([revocation(.keyID(2))]) == ["shop 2 mints, 1"])
        #expect(found([revocation(.keyID(2)), revocation(.keyID(1), 2)]) == ["shop 2 mints, none", "shop 1, none"])
        #expect(found([revocation(.keyID(1))]) == ["shop 1, 2"])
        #expect(found([revocation(.keyID(2), before: Samples.now + 60)]) == [], "later keys count")
        #expect(found([revocation(.user("ann"))]) == [])
    }

    @Test func `a person's keys issued in an earlier second are revoked`() throws {
        let earlier = revocation(.user("ann"), before: Self.issuedAt + 1)
        #expect(try verdict([earlier]) == Self.revoked)
        #expect(try verdict([earlier], issuedAt: Self.issuedAt + 1) == Self.valid)
        #expect(try verdict([earlier], appID: "shop", userID: "ann2") == Self.valid)
        #expect(try verdict([earlier], appID: "shop2") == Self.valid)
        #expect(try verdict([revocation(.user("ann"), before: Self.issuedAt)]) == Self.valid)
    }

    @Test func `a sign-out revokes keys of the same second`() throws {
        let now = revocation(.user("ann"), before: Revocation.bound(after: Self.issuedAt))
        #expect(try verdict([now]) == Self.revoked)
        #expect(try verdict([now], issuedAt: Self.issuedAt + 1) == Self.valid)
    }

    @Test func `a blocked user has no valid key`() throws {
        #expect(revocation(.user("ann")).isBlock)
        #expect(try verdict([revocation(.user("ann"))], issuedAt: Samples.now + 60) == Self.revoked)
        #expect(try verdict([revocation(.user("ann"))], appID: "shop", userID: "bob") == Self.valid)
    }

    /// The store has only a digest of the user, with its own salt or that of another replica.
    @Test func `a forgotten user has no valid key`() throws {
        let ann = AppUser(appID: "shop", userID: "ann")
        func former(_ salt: UInt8) throws -> Revocation {
            revocation(.formerUser(try FormerUser(ann, salt: [UInt8](repeating: salt, count: 32))), UInt64(salt))
        }
        for formers in try [[former(1)], [former(1), former(2)], [former(2), revocation(.user("bob"), before: 5)]] {
            #expect(try verdict(formers, issuedAt: Samples.now + 60) == Self.revoked)
            #expect(try verdict(formers, appID: "shop", userID: "bob") == Self.valid)
            #expect(try verdict(formers, appID: "shop2", userID: "ann") == Self.valid)
            var revocationSet = RevocationSet()
            for former in formers { revocationSet.apply(.added(former)) }
            let (shop, user, other) = (Array("shop".utf8), Array("ann".utf8), Array("anna".utf8))
            #expect(try revocationSet.snapshot.blocks(app: Application(id: "shop", keys: []).digest, appID: shop.span, userID: user.span))
            #expect(try revocationSet.snapshot.isForgotten(appID: shop.span, userID: user.span))
            #expect(try !revocationSet.snapshot.isForgotten(appID: shop.span, userID: other.span))
        }
    }

    /// In shadow mode all others may chat, with any key.
    @Test func `shadow mode allows no blocked or forgotten user`() throws {
        let keys = [Application.Key(id: 1, secret: try Samples.secret(1))]
        let authorizer = try Authorizer([Application(id: "shop", keys: keys, shadowUntil: Samples.now + 100)])
        var revocationSet = RevocationSet()
        let ann = AppUser(appID: "shop", userID: "ann")
        revocationSet.apply(.added(revocation(.formerUser(try FormerUser(ann, salt: [UInt8](0..<32))))))
        revocationSet.apply(.added(revocation(.user("bob"), 2)))
        revocationSet.apply(.added(revocation(.user("cleo"), before: Samples.now + 1, 3)))
        func verdict(_ userID: String, key: String, now: UnixSeconds = Samples.now) throws -> Verdict {
            var triple = try Samples.triple("shop", userID)
            triple.securityKey = try Samples.triple("shop", key).securityKey
            let decision = authorizer.authorize(triple, now: now, revocations: revocationSet.snapshot)
            return authorizer.applyingShadowMode(to: decision, now: now).verdict
        }
        #expect(try verdict("ann", key: "ann") == Self.revoked)
        #expect(try verdict("ann", key: "bob") == .denied(.wrongMac, keyID: 1))
        #expect(try verdict("bob", key: "bob") == Self.revoked)
        #expect(try verdict("bob", key: "ann") == .denied(.wrongMac, keyID: 1))
        #expect(try verdict("cleo", key: "cleo") == .shadowed(.revoked, keyID: 1), "a sign-out is about keys")
        #expect(try verdict("eve", key: "bob") == .shadowed(.wrongMac, keyID: 1))
        #expect(try verdict("bob", key: "bob", now: Samples.now + 100) == Self.revoked)
    }

    /// Before the revocations are known, it is unknown who is blocked.
    @Test func `shadow mode allows no user before the revocations are known`() throws {
        let keys = [Application.Key(id: 1, secret: try Samples.secret(1))]
        let authorizer = try Authorizer([Application(id: "shop", keys: keys, shadowUntil: Samples.now + 100)])
        for user in ["ann", "bob"] {
            var triple = try Samples.triple("shop", user)
            triple.securityKey = try Samples.triple("shop", "ann").securityKey
            let decision = authorizer.authorize(triple, now: Samples.now, revocations: .unknown)
            #expect(authorizer.applyingShadowMode(to: decision, now: Samples.now).verdict == .undecided(.revocationsUnknown), "\(user)")
            let later = authorizer.authorize(triple, now: Samples.now + 100, revocations: .unknown)
            #expect(later.verdict == (user == "ann" ? .undecided(.revocationsUnknown) : .denied(.wrongMac, keyID: 1)), "\(user)")
        }
    }

    /// A block during the call to the backend keeps the user out, for any response.
    @Test(arguments: Denial.allCases, [false, true]) func `a block during the call applies in shadow mode`(
        _ denial: Denial, isBlocked: Bool
    )
        throws
    {
        let keys = [Application.Key(id: 1, secret: try Samples.secret(1))]
        let authorizer = try Authorizer([
            Application(id: "shop", keys: keys, shadowUntil: Samples.now + 100, verification: .keyAndBackend)
        ])
        let decision = authorizer.authorize(try Samples.triple("shop", "ann"), now: Samples.now)
        #expect(decision.verdict == .unconfirmed(keyID: 1))
        let concluded = decision.confirmed(by: .denied(denial, keyID: 1), isBlocked: isBlocked)
        let verdict = authorizer.applyingShadowMode(to: concluded, now: Samples.now).verdict
        #expect(verdict == (isBlocked ? .denied(denial, keyID: 1) : .shadowed(denial, keyID: 1)))
    }

    /// `deskgate key verify` decides with two responses of a service instead of the revocations.
    @Test(arguments: VerifyMode.allCases, [nil, Samples.now + 100]) func `two responses decide like the revocations`(
        _ mode: VerifyMode, _ shadowUntil: UnixSeconds?
    ) throws {
        let keys = [Application.Key(id: 1, secret: try Samples.secret(1))]
        let application = Application(id: "shop", keys: keys, shadowUntil: shadowUntil, verification: mode)
        let authorizer = try Authorizer([application])
        let ann = AppUser(appID: "shop", userID: "ann")
        let sets: [[Revocation]] = [
            [], [revocation(.user("ann"))], [revocation(.user("bob"))], [revocation(.user("ann"), before: Samples.now + 1)],
            [revocation(.user("ann"), before: Self.issuedAt)], [revocation(.keyID(1))], [revocation(.keyID(2))],
            [revocation(.securityKey(salt: [UInt8](repeating: 7, count: 16)))],
            [revocation(.securityKey(salt: [UInt8](repeating: 8, count: 16)))], [revocation(.everyKey, before: Samples.now + 1)],
            [revocation(.everyKey, before: 7)], [revocation(.formerUser(try FormerUser(ann, salt: [UInt8](0..<32))))],
        ]
        let own = try Samples.triple("shop", "ann", issuedAt: Self.issuedAt, salt: 7)
        var foreign = own
        foreign.securityKey = try Samples.triple("shop", "bob", issuedAt: Self.issuedAt, salt: 7).securityKey
        for (index, triple) in [own, foreign].enumerated() {
            for set in sets {
                var revocationSet = RevocationSet()
                for revocation in set { revocationSet.apply(.added(revocation)) }
                let (key, snapshot) = (SecurityKey(triple.securityKey.span), revocationSet.snapshot)
                let genuine = try #require(key)
                let reported = Revocations.concerning(
                    ann, key,
                    isBlocked: try snapshot.blocks(app: application.digest, appID: triple.appID.span, userID: triple.userID.span),
                    isRevoked: try snapshot.revokes(
                        genuine, app: application.digest, appID: triple.appID.span, userID: triple.userID.span))
                func verdict(_ revocations: Revocations) -> Verdict {
                    authorizer.applyingShadowMode(
                        to: authorizer.authorize(triple, now: Samples.now, revocations: revocations), now: Samples.now
                    ).verdict
                }
                #expect(verdict(reported) == verdict(snapshot), "\(index) \(set.map(\.subject))")
            }
        }
    }

    @Test func `a digest survives a round trip`() throws {
        let former = try FormerUser(AppUser(appID: "shop", userID: "ann"), salt: [UInt8](0..<32))
        #expect(FormerUser(name: former.name, salt: former.salt) == former)
        #expect(former.name.utf8.count == 64)
        #expect(!former.name.contains("ann"))
        for (app, user) in [("shop", "ann2"), ("shopa", "nn"), ("sho", "pann")] {
            #expect(try FormerUser(AppUser(appID: app, userID: user), salt: former.salt) != former)
        }
        #expect(FormerUser(name: String(former.name.dropLast()), salt: former.salt) == nil)
        #expect(FormerUser(name: String(former.name.dropLast()) + "g", salt: former.salt) == nil)
        #expect(FormerUser(name: former.name, salt: [1]) == nil)
    }

    @Test func `all keys of an app are revoked`() throws {
        let all = revocation(.everyKey, before: Self.issuedAt + 1)
        #expect(try verdict([all]) == Self.revoked)
        #expect(try verdict([all], appID: "shop", userID: "bob", keyID: 2) == .denied(.revoked, keyID: 2))
        #expect(try verdict([all], issuedAt: Self.issuedAt + 1) == Self.valid)
        #expect(try verdict([all], appID: "shop2") == Self.valid)
    }

    @Test func `all keys of a key ID are revoked`() throws {
        #expect(try verdict([revocation(.keyID(2))], keyID: 2, issuedAt: Samples.now) == .denied(.revoked, keyID: 2))
        #expect(try verdict([revocation(.keyID(2))]) == Self.valid)
        #expect(try verdict([revocation(.keyID(1), before: Self.issuedAt)]) == Self.valid)
        #expect(try verdict([revocation(.keyID(1), before: Self.issuedAt + 1)]) == Self.revoked)
    }

    /// It applies to configured and unknown keys, and is one revocation.
    @Test func `the revocation of a key ID is counted once`() throws {
        var revocationSet = RevocationSet()
        let (first, second) = (revocation(.keyID(1), before: 300, 1), revocation(.keyID(2), 2))
        for revocation in [first, second, first] { revocationSet.apply(.added(revocation)) }
        #expect(revocationSet.snapshot.count == 2)
        revocationSet.apply(.removed(first.id))
        #expect(revocationSet.snapshot.count == 1)
        revocationSet.apply(.removed(second.id))
        #expect(revocationSet.snapshot.count == 0)
        let triple = try Samples.triple("shop", "ann", keyID: 2)
        #expect(authorizer.authorize(triple, now: Samples.now, revocations: revocationSet.snapshot).verdict == .authorized(keyID: 2))
    }

    /// An earlier version has stored a device without its key: any of the app's secrets may have signed it long ago.
    @Test(
        arguments: [
            (.everyKey, 1, true), (.user("ann"), 1, true), (.user("ann"), nil, true), (.keyID(1), 1, true), (.keyID(9), nil, true),
            (.user("bob"), nil, false), (.securityKey(salt: [UInt8](repeating: 7, count: 16)), nil, false),
        ] as [(Revocation.Subject, UnixSeconds?, Bool)])
    func `a device of an unknown key is skipped`(_ subject: Revocation.Subject, before: UnixSeconds?, isCovered: Bool) throws {
        let key = Device.Key(appID: "shop", userID: "ann", deviceID: "d1")
        let list = RowList()
        let device = RegistryDevice(
            key: key, type: "ios", token: try PushToken("A"), digest: nil, registeredAt: 1_000_000, seenAt: 1_000_000,
            isReportedByApp: false,
            claims: .unknown)
        list.apply([.put(device)])
        var revocationSet = RevocationSet()
        let revocation = revocation(subject, before: before)
        revocationSet.apply(.added(revocation))
        list.revocations = revocationSet.snapshot
        let event = Event(
            id: revocation.id, kind: .commentCreated, identity: Event.Identity(appID: "shop", ticketID: 1, commentID: 1, deviceID: ""),
            userID: "ann", deviceType: nil, occurredAt: 0, receivedAt: 0, expiresAt: 0, data: [])
        #expect(DeliveryPlan.candidates(for: event, in: list).isEmpty == isCovered)
        revocationSet.apply(.removed(revocation.id))
        list.revocations = revocationSet.snapshot
        #expect(DeliveryPlan.candidates(for: event, in: list).map(\.deviceID) == ["d1"])
    }

    /// Texts that are equal in Swift are two people.
    @Test func `user ids are compared as bytes`() throws {
        #expect(try verdict([revocation(.user("caf\u{E9}"))], appID: "shop", userID: "cafe\u{301}") == Self.valid)
        #expect(try verdict([revocation(.user("caf\u{E9}"))], appID: "shop", userID: "caf\u{E9}") == Self.revoked)
    }

    /// A caller without a valid key learns nothing about revocations.
    @Test func `is checked after the MAC and the time`() throws {
        var revocationSet = RevocationSet()
        revocationSet.apply(.added(revocation(.user("ann"))))
        var wrong = try Samples.triple("shop", "ann")
        wrong.securityKey = try Samples.triple("shop", "bob").securityKey
        #expect(authorizer.authorize(wrong, now: Samples.now, revocations: revocationSet.snapshot).verdict == .denied(.wrongMac, keyID: 1))
        let old = try Samples.triple("shop", "ann", issuedAt: 1000, expiresAt: 2000)
        #expect(authorizer.authorize(old, now: Samples.now, revocations: revocationSet.snapshot).verdict == .denied(.expired, keyID: 1))
        #expect(authorizer.authorize(wrong, now: Samples.now, revocations: .unknown).verdict == .denied(.wrongMac, keyID: 1))
    }

    @Test func `nothing is decided before revocations are known`() throws {
        let decision = authorizer.authorize(try Samples.triple("shop", "ann"), now: Samples.now, revocations: .unknown)
        #expect(decision.verdict == .undecided(.revocationsUnknown))
        #expect(!Revocations.unknown.isKnown)
        #expect(Revocations.none.isKnown)
    }

    @Test func `the latest of several bounds applies, and removing one leaves the others`() throws {
        let (early, late) = (revocation(.user("ann"), before: 100, 1), revocation(.user("ann"), before: 300, 2))
        let block = revocation(.user("ann"), 3)
        var revocationSet = RevocationSet()
        func isRevoked(_ issuedAt: UnixSeconds) throws -> Bool {
            let triple = try Samples.triple("shop", "ann", issuedAt: issuedAt)
            return authorizer.authorize(triple, now: Samples.now, revocations: revocationSet.snapshot).verdict == Self.revoked
        }
        // Repeated changes have no effect.
        for revocation in [late, early, block, late] { revocationSet.apply(.added(revocation)) }
        #expect(revocationSet.snapshot.count == 3)
        #expect(try isRevoked(400))
        revocationSet.apply(.removed(block.id))
        revocationSet.apply(.removed(block.id))
        #expect(try !isRevoked(400))
        #expect(try isRevoked(200))
        let before = revocationSet.snapshot
        revocationSet.apply(.removed(late.id))
        #expect(try !isRevoked(200))
        #expect(try isRevoked(50))
        revocationSet.apply(.removed(early.id))
        #expect(try !isRevoked(50))
        #expect(revocationSet.snapshot.count == 0 && before.count == 2, "a snapshot does not change")
    }

    /// Compared with a linear search in a list, while thousands are added and removed.
    @Test func `behaves like a list of all`() throws {
        var generator = SeededGenerator(seed: 1)
        var revocationSet = RevocationSet()
        var all: [Revocation] = []
        for number in 0..<4000 as Range<UInt64> {
            if !all.isEmpty, UInt64.random(in: 0..<3, using: &generator) == 0 {
                let gone = all.remove(at: Int.random(in: all.indices, using: &generator))
                revocationSet.apply(.removed(gone.id))
            } else {
                let user = "user-\(UInt64.random(in: 0..<700, using: &generator))"
                let bound = UnixSeconds(rawValue: UInt64.random(in: 1..<1000, using: &generator))
                let new = revocation(.user(user), before: bound, number)
                all.append(new)
                revocationSet.apply(.added(new))
            }
        }
        let snapshot = revocationSet.snapshot
        #expect(snapshot.count == all.count)
        for number in 0..<700 {
            let user = "user-\(number)"
            let last = all.compactMap { $0.subject == .user(user) ? $0.issuedBefore : nil }.max() ?? 0
            for issuedAt in [last, last.saturating(subtracting: 1)] {
                let triple = try Samples.triple("shop", user, issuedAt: issuedAt)
                let verdict = authorizer.authorize(triple, now: Samples.now, revocations: snapshot).verdict
                #expect((verdict == Self.revoked) == (issuedAt < last), "\(user)")
            }
        }
    }
}
