import Testing
import Time

@testable import Core

@Suite struct RecentAuthorizationsTests {
    private static let now: UnixSeconds = 1_773_130_512
    private static let limits = RecentAuthorizations.Limits(allowed: 4, proven: 3, stranger: 2)

    private static func user(_ number: Int) -> KeyedDigest { KeyedDigest(low: UInt64(number), high: 0) }

    private static func allowed(_ keyID: UInt32? = 1) -> Verdict { .authorized(keyID: keyID) }

    private static func denied(_ denial: Denial) -> Verdict {
        // The key id that `Authorizer` passes.
        let keyID: UInt32? = [.unknownApp, .unknownKey].contains(denial) ? nil : 1
        return .denied(denial, keyID: keyID)
    }

    private func recent(_ limits: RecentAuthorizations.Limits = Self.limits) -> RecentAuthorizations {
        RecentAuthorizations(limits, since: Self.now)
    }

    @Test func `keeps the last success`() throws {
        var recent = recent()
        recent.record(Self.allowed(1), of: Self.user(1), now: Self.now)
        recent.record(Self.allowed(2), of: Self.user(1), now: Self.now + 5)
        let history = try #require(recent.history(of: Self.user(1)))
        #expect(history.lastSuccess == AuthorizationHistory.Success(at: Self.now + 5, keyID: 2))
        #expect(!history.isDenied)
        #expect(history.denials.isEmpty)
        #expect(recent.history(of: Self.user(2)) == nil)
    }

    @Test func `keeps the last denial of each reason and key`() throws {
        var recent = recent()
        for (second, denial) in [Denial.expired, .wrongMac, .expired, .unknownKey, .revoked].enumerated() {
            recent.record(Self.denied(denial), of: Self.user(1), now: Self.now + UInt64(second))
        }
        let history = try #require(recent.history(of: Self.user(1)))
        #expect(history.denials.map(\.denial) == [.revoked, .unknownKey, .expired])
        #expect(history.denials.map(\.at) == [Self.now + 4, Self.now + 3, Self.now + 2])
        #expect(history.denials.map(\.keyID) == [1, nil, 1])
        #expect(history.count(at: Self.now + 4) == 5)
    }

    @Test func `a success ends the denial`() throws {
        var recent = recent()
        recent.record(Self.denied(.wrongMac), of: Self.user(1), now: Self.now)
        #expect(recent.history(of: Self.user(1))?.isDenied == true)
        recent.record(Self.allowed(), of: Self.user(1), now: Self.now)
        let history = try #require(recent.history(of: Self.user(1)))
        #expect(!history.isDenied)
        #expect(history.denials.map(\.denial) == [.wrongMac])
        #expect(recent.count == 1)
    }

    /// Shadow mode allows every request, so an allowed request does not authenticate a user.
    @Test func `shadow mode ends a denial without recording a user`() {
        var recent = recent()
        recent.record(.shadowed(.wrongMac, keyID: 1), of: Self.user(1), now: Self.now)
        #expect(recent.history(of: Self.user(1)) == nil)
        recent.record(Self.denied(.wrongMac), of: Self.user(1), now: Self.now)
        recent.record(.shadowed(.wrongMac, keyID: 1), of: Self.user(1), now: Self.now)
        #expect(recent.history(of: Self.user(1))?.isDenied == false)
    }

    @Test(arguments: [Verdict.malformed(ValidationError(.userID, .empty)), .unconfirmed(keyID: 1)])
    func `requests of unknown apps are not recorded`(_ verdict: Verdict) {
        var recent = recent()
        recent.record(verdict, of: Self.user(1), now: Self.now)
        #expect(recent.history(of: Self.user(1)) == nil)
    }

    @Test(arguments: UndecidedReason.allCases) func `a backend failure is recorded, but not as a denial`(_ reason: UndecidedReason) throws {
        var recent = recent()
        recent.record(.undecided(reason), of: Self.user(1), now: Self.now)
        let history = try #require(recent.history(of: Self.user(1)))
        #expect(history.failure == AuthorizationFailure(.undecided(reason), at: Self.now))
        #expect(!history.isDenied)
        #expect(history.count(at: Self.now) == 0)
        #expect(recent.completeSince == Self.now)
    }

    @Test(arguments: [allowed(), denied(.wrongMac), .shadowed(.wrongMac, keyID: 1)]) func `a decision ends a failure`(_ verdict: Verdict) {
        var recent = recent()
        recent.record(AuthorizationFailure(.limited(.device), at: Self.now), of: Self.user(1))
        recent.record(verdict, of: Self.user(1), now: Self.now)
        #expect(recent.history(of: Self.user(1))?.failure == nil)
    }

    @Test func `a failure keeps earlier decisions`() throws {
        var recent = recent()
        recent.record(Self.denied(.expired), of: Self.user(1), now: Self.now)
        recent.record(Self.allowed(), of: Self.user(1), now: Self.now + 1)
        recent.record(AuthorizationFailure(.limited(.user), at: Self.now + 1), of: Self.user(1))
        let history = try #require(recent.history(of: Self.user(1)))
        #expect(history.failure?.reason == .limited(.user))
        #expect(history.lastSuccess?.at == Self.now + 1)
        #expect(history.denials.map(\.denial) == [.expired])
        recent.forget(Self.user(1))
        #expect(recent.history(of: Self.user(1)) == nil)
    }

    @Test func `failures are limited and evict no denied user`() {
        var recent = recent()
        recent.record(Self.denied(.wrongMac), of: Self.user(1), now: Self.now)
        for number in 2...100 { recent.record(.undecided(.backendTimeout), of: Self.user(number), now: Self.now + 1) }
        #expect(recent.history(of: Self.user(1))?.isDenied == true)
        #expect(recent.completeSince == Self.now)
        #expect((2...100).filter { recent.history(of: Self.user($0)) != nil } == [99, 100])
    }

    @Test(arguments: [(0, 3), (59, 3), (480, 3), (539, 3), (600, 2), (660, 0), (1_000_000, 0)] as [(UInt64, Int)])
    func `denials of the last ten minutes are counted`(passed: UInt64, count: Int) throws {
        var recent = recent()
        let start = UnixSeconds(rawValue: Self.now.rawValue / 60 * 60)
        recent.record(Self.denied(.wrongMac), of: Self.user(1), now: start)
        recent.record(Self.denied(.wrongMac), of: Self.user(1), now: start + 60)
        recent.record(Self.denied(.expired), of: Self.user(1), now: start + 119)
        #expect(try #require(recent.history(of: Self.user(1))).count(at: start + passed) == count)
    }

    @Test func `counts again after an hour`() throws {
        var recent = recent()
        for minute: UInt64 in [0, 1, 9, 60, 69] {
            recent.record(Self.denied(.wrongMac), of: Self.user(1), now: Self.now + 60 * minute)
        }
        #expect(try #require(recent.history(of: Self.user(1))).count(at: Self.now + 60 * 69) == 2)
    }

    @Test func `counting continues after a clock is set back`() throws {
        var recent = recent()
        recent.record(Self.denied(.wrongMac), of: Self.user(1), now: Self.now)
        recent.record(Self.denied(.wrongMac), of: Self.user(1), now: Self.now - 3600)
        #expect(try #require(recent.history(of: Self.user(1))).count(at: Self.now - 3600) == 2)
    }

    /// For any number of invented ids, existing users stay recorded, as does an unknown user who was denied repeatedly.
    @Test func `invented ids evict only each other`() {
        var recent = recent(RecentAuthorizations.Limits(apps: 1))
        let (customer, expired, stranger) = (Self.user(1), Self.user(2), Self.user(3))
        recent.record(Self.allowed(), of: customer, now: Self.now)
        recent.record(Self.denied(.wrongMac), of: customer, now: Self.now)
        recent.record(Self.denied(.expired), of: expired, now: Self.now)
        for _ in 0..<2 { recent.record(Self.denied(.wrongMac), of: stranger, now: Self.now) }
        let invented = 10..<100_010
        for number in invented { recent.record(Self.denied(.wrongMac), of: Self.user(number), now: Self.now + 1) }
        #expect(recent.history(of: customer)?.denials.map(\.denial) == [.wrongMac])
        #expect(recent.history(of: expired)?.denials.map(\.denial) == [.expired])
        #expect(recent.history(of: stranger)?.count(at: Self.now) == 2)
        #expect(recent.count == 1024 + 3)
        #expect(recent.history(of: Self.user(invented.upperBound - 1)) != nil)
        #expect(recent.history(of: Self.user(invented.lowerBound)) == nil)
        #expect(recent.completeSince == Self.now + 1)
    }

    /// Whether a denial proves that the user exists, so that invented ids do not evict it.
    @Test(arguments: Denial.allCases) func `a valid key proves that the user exists`(_ denial: Denial) {
        var recent = recent()
        recent.record(Self.denied(denial), of: Self.user(1), now: Self.now)
        for number in 2...9 { recent.record(Self.denied(.wrongMac), of: Self.user(number), now: Self.now) }
        let isInvented = [Denial.unknownApp, .unknownKey, .wrongMac].contains(denial)
        #expect((recent.history(of: Self.user(1)) == nil) == isInvented)
    }

    /// Without a key id only the backend can check the key, which any client may have invented.
    @Test(arguments: [Denial.backendDenied, .backendUndecided]) func `a key of the backend's own does not prove that the user exists`(
        _ denial: Denial
    ) {
        var recent = recent()
        recent.record(.denied(denial, keyID: nil), of: Self.user(1), now: Self.now)
        for number in 2...9 { recent.record(Self.denied(.wrongMac), of: Self.user(number), now: Self.now) }
        #expect(recent.history(of: Self.user(1)) == nil)
    }

    @Test func `the least recent record is evicted first`() {
        var recent = recent()
        for number in 1...4 { recent.record(Self.allowed(), of: Self.user(number), now: Self.now) }
        recent.record(Self.allowed(), of: Self.user(1), now: Self.now + 1)
        recent.record(Self.allowed(), of: Self.user(5), now: Self.now + 1)
        #expect(recent.history(of: Self.user(2)) == nil)
        #expect(recent.history(of: Self.user(1)) != nil)
        #expect(recent.count == 4)
        #expect(recent.completeSince == Self.now, "nobody who was denied has left")
    }

    @Test func `successes evict no denied user`() {
        var recent = recent()
        recent.record(Self.denied(.expired), of: Self.user(1), now: Self.now)
        for number in 2...100 { recent.record(Self.allowed(), of: Self.user(number), now: Self.now) }
        #expect(recent.history(of: Self.user(1))?.isDenied == true)
    }

    @Test func `reports the start of the complete record`() {
        var recent = recent()
        for number in 1...3 { recent.record(Self.denied(.expired), of: Self.user(number), now: Self.now + 1) }
        recent.record(Self.denied(.expired), of: Self.user(1), now: Self.now + 2)
        #expect(recent.completeSince == Self.now)
        recent.record(Self.denied(.expired), of: Self.user(4), now: Self.now + 3)
        #expect(recent.completeSince == Self.now + 3)
    }

    @Test func `a forgotten user's record is erased`() {
        var recent = recent()
        recent.record(Self.denied(.expired), of: Self.user(1), now: Self.now)
        recent.record(Self.allowed(), of: Self.user(2), now: Self.now)
        recent.forget(Self.user(1))
        #expect(recent.history(of: Self.user(1)) == nil)
        #expect(recent.history(of: Self.user(2)) != nil)
    }

    @Test func `each app has a fair share`() {
        #expect(
            RecentAuthorizations.Limits(apps: 1) == RecentAuthorizations.Limits(allowed: 8192, proven: 2048, stranger: 1024))
        #expect(RecentAuthorizations.Limits(apps: 0) == RecentAuthorizations.Limits(apps: 1))
        #expect(RecentAuthorizations.Limits(apps: 4) == RecentAuthorizations.Limits(allowed: 2048, proven: 512, stranger: 256))
        #expect(RecentAuthorizations.Limits(apps: 10_000) == RecentAuthorizations.Limits(allowed: 64, proven: 64, stranger: 64))
    }

    @Test func `a smaller share takes effect at once`() {
        var recent = recent()
        for number in 1...3 { recent.record(Self.denied(.expired), of: Self.user(number), now: Self.now) }
        recent.resize(RecentAuthorizations.Limits(allowed: 1, proven: 2, stranger: 1))
        recent.record(Self.denied(.expired), of: Self.user(4), now: Self.now + 1)
        #expect(recent.count == 2)
        #expect(recent.history(of: Self.user(3)) != nil)
        #expect(recent.completeSince == Self.now + 1)
    }
}
