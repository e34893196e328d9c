import Core
import Testing
import Time

/// Authorization at the limits of clocks and keys, and when the clock is set.
@Suite struct ClockEdgeTests {
    /// The ends of 32-bit times, signed and unsigned, the year 10000, and the last second that fits in a key.
    private static let edges: [UnixSeconds] = [
        2_147_483_647, 2_147_483_648, 4_294_967_295, 4_294_967_296, 253_402_300_799, 253_402_300_800, SecurityKey.latestTime,
    ]
    private static let life: UInt64 = 1000
    private static let skew: UInt64 = 60

    private let authorizer: Authorizer

    init() throws {
        authorizer = try Authorizer([Samples.application("shop", keys: 1)], policy: KeyPolicy(maximumLifetimeSeconds: 5000))
    }

    private func verdict(_ triple: Triple, _ now: UnixSeconds) -> Verdict { authorizer.authorize(triple, now: now).verdict }

    @Test(arguments: edges) func `a key is in force from its issue to its end`(edge: UnixSeconds) throws {
        // Issued and expired around the edge, at it, and just before it.
        for offset in [0, Self.life / 2, Self.life] {
            let issuedAt = edge - offset
            let expiresAt = min(issuedAt + Self.life, SecurityKey.latestTime)
            let triple = try Samples.triple("shop", "user", issuedAt: issuedAt, expiresAt: expiresAt)
            #expect(verdict(triple, issuedAt - Self.skew - 1) == .denied(.issuedInFuture, keyID: 1))
            for now in [issuedAt - Self.skew, issuedAt, edge, expiresAt, expiresAt + Self.skew] {
                #expect(verdict(triple, now) == .authorized(keyID: 1), "\(now)")
            }
            #expect(verdict(triple, expiresAt + Self.skew + 1) == .denied(.expired, keyID: 1))
        }
    }

    @Test(arguments: edges) func `the longest lifetime applies at the limits`(edge: UnixSeconds) throws {
        let triple = try Samples.triple("shop", "user", issuedAt: edge, expiresAt: 0)
        #expect(verdict(triple, edge + 5000 + Self.skew) == .authorized(keyID: 1))
        #expect(verdict(triple, edge + 5001 + Self.skew) == .denied(.tooOld, keyID: 1))
    }

    /// A key is minted for the second of its verification, and contains no time beyond the format's limit.
    @Test(arguments: edges) func `a minted key is authorized`(edge: UnixSeconds) throws {
        let minting = KeyMinting(authorizer, defaultLifetimeSeconds: 1)
        let left = edge.remaining(until: SecurityKey.latestTime)
        guard left >= 1 else {
            #expect(throws: KeyMinting.Refusal.self) { try minting.mint(appID: "shop", userID: "user", now: edge) }
            return
        }
        let minted = try minting.mint(appID: "shop", userID: "user", lifetimeSeconds: min(left, 5000), now: edge)
        #expect(verdict(Triple("shop", userID: "user", securityKey: minted.securityKey), edge) == .authorized(keyID: 1))
        #expect(minted.expiresAt == edge + min(left, 5000))
    }

    /// Forward by decades, back to 1970, and back again: each decision is that of its own time, for any earlier request.
    @Test func `each decision uses its own time`() throws {
        let start = Samples.now
        let triple = try Samples.triple("shop", "user", issuedAt: start, expiresAt: start + Self.life)
        let jumps: [(UnixSeconds, Verdict)] = [
            (start, .authorized(keyID: 1)), (.max, .denied(.expired, keyID: 1)), (start + 1, .authorized(keyID: 1)),
            (0, .denied(.issuedInFuture, keyID: 1)), (start + Self.life, .authorized(keyID: 1)),
            (4_294_967_296, .denied(.expired, keyID: 1)), (start - Self.skew, .authorized(keyID: 1)),
            (start - Self.skew - 1, .denied(.issuedInFuture, keyID: 1)), (start, .authorized(keyID: 1)),
        ]
        for _ in 1...2 {
            for (now, expected) in jumps { #expect(verdict(triple, now) == expected, "\(now)") }
        }
    }

    /// In shadow mode too: a clock that is set back enables it for a limited time only, and one that is far ahead does not enable it.
    @Test func `shadow mode uses its own time`() throws {
        for end in Self.edges {
            let key = try Samples.application("shop", keys: 1).keys
            let shadowing = try Authorizer([Application(id: "shop", keys: key, shadowUntil: end)])
            let triple = try Samples.triple("shop", "user", keyID: 2)
            func verdict(_ now: UnixSeconds) -> Verdict {
                shadowing.applyingShadowMode(to: shadowing.authorize(triple, now: now), now: now).verdict
            }
            for _ in 1...2 {
                #expect(verdict(end - 1) == .shadowed(.unknownKey, keyID: nil))
                for now in [end, .max] { #expect(verdict(now) == .denied(.unknownKey, keyID: nil)) }
                #expect(verdict(0) == .shadowed(.unknownKey, keyID: nil))
            }
        }
    }

    @Test func `shadow mode changes only denials of its app`() throws {
        let keys = try Samples.application("shop", keys: 1).keys
        let apps = [Application(id: "shop", keys: keys, shadowUntil: .max), try Samples.application("bank", keys: 1)]
        let authorizer = try Authorizer(apps)
        var triples = [try Samples.triple("shop", "user"), try Samples.triple("bank", "user"), try Samples.triple("stop", "user")]
        triples += [
            try Samples.triple("bank", "user", keyID: 2), Triple("shop", userID: "user", securityKey: "x"),
            Triple("shop", userID: "", securityKey: ""),
        ]
        for triple in triples {
            let decision = authorizer.authorize(triple, now: Samples.now)
            #expect(authorizer.applyingShadowMode(to: decision, now: Samples.now) == decision)
        }
    }
}
