import Testing
import Time

@testable import Core

@Suite struct StrangersDenialsTests {
    private static let now: UnixSeconds = 1_773_130_512
    private static let user = KeyedDigest(low: 1, high: 0)

    private static func denied(_ denial: Denial) -> Verdict { .denied(denial, keyID: 1) }

    private func recent() -> RecentAuthorizations {
        RecentAuthorizations(RecentAuthorizations.Limits(allowed: 4, proven: 3, stranger: 2), since: Self.now)
    }

    @Test(arguments: ValidationError.Problem.allCases) func `a malformed key is recorded`(_ problem: ValidationError.Problem) throws {
        var recent = recent()
        recent.record(Self.denied(.expired), of: Self.user, now: Self.now)
        recent.record(.malformed(ValidationError(.securityKey, problem)), of: Self.user, now: Self.now + 1)
        let history = try #require(recent.history(of: Self.user))
        #expect(history.isDenied)
        #expect(history.denials.map(\.reason) == [.malformedKey(problem), .denial(.expired)])
        #expect(history.provenDenial?.denial == .expired)
        let known = KnownAuthorizations(startedAt: Self.now, completeSince: Self.now, history: history)
        #expect(KnownAuthorizations(parsing: known.serialized())?.history?.denials == history.denials)
    }

    @Test func `malformed keys of invented users displace only each other`() {
        var recent = recent()
        recent.record(Self.denied(.expired), of: Self.user, now: Self.now)
        for number in 2...9 as ClosedRange<UInt64> {
            recent.record(.malformed(ValidationError(.securityKey, .empty)), of: KeyedDigest(low: number, high: 0), now: Self.now)
        }
        #expect(recent.history(of: Self.user) != nil)
        #expect(recent.history(of: KeyedDigest(low: 2, high: 0)) == nil)
        #expect(recent.count == 3)
    }

    /// Any client with the user's id can be denied under it.
    @Test func `denials of forged keys evict none of the user's own key`() throws {
        var recent = recent()
        recent.record(Self.denied(.revoked), of: Self.user, now: Self.now)
        recent.record(Self.denied(.expired), of: Self.user, now: Self.now + 1)
        for (second, keyID) in (1...9).enumerated() {
            recent.record(.denied(.wrongMac, keyID: UInt32(keyID)), of: Self.user, now: Self.now + 2 + UInt64(second))
        }
        let history = try #require(recent.history(of: Self.user))
        #expect(history.denials.map(\.denial) == [.wrongMac, .wrongMac, .expired])
        #expect(history.denials.map(\.keyID) == [9, 8, 1])
        #expect(history.provenDenial?.denial == .expired)
        let merged = AuthorizationHistory(nil, denials: [history.denials[2]], isDenied: true, minutes: []).merged(with: history)
        #expect(merged.denials == history.denials)
        recent.record(Self.denied(.revoked), of: Self.user, now: Self.now + 20)
        #expect(recent.history(of: Self.user)?.denials.map(\.denial) == [.revoked, .wrongMac, .wrongMac])
        #expect(recent.history(of: Self.user)?.provenDenial == nil, "it is the latest")
    }

    @Test func `a denial before the last success does not explain later requests`() throws {
        var recent = recent()
        recent.record(Self.denied(.expired), of: Self.user, now: Self.now)
        recent.record(.authorized(keyID: 1), of: Self.user, now: Self.now + 1)
        recent.record(Self.denied(.wrongMac), of: Self.user, now: Self.now + 2)
        let history = try #require(recent.history(of: Self.user))
        #expect(history.isDenied)
        #expect(history.provenDenial == nil)
    }

    @Test func `a success is later than a denial in the same second`() throws {
        var recent = recent()
        recent.record(Self.denied(.expired), of: Self.user, now: Self.now)
        recent.record(.authorized(keyID: 1), of: Self.user, now: Self.now)
        recent.record(Self.denied(.wrongMac), of: Self.user, now: Self.now + 1)
        #expect(try #require(recent.history(of: Self.user)).provenDenial == nil)
    }

    /// In backend mode Deskgate cannot validate a key.
    @Test func `a block without a key is no denial of the user's own key`() throws {
        var recent = recent()
        recent.record(.denied(.revoked, keyID: nil), of: Self.user, now: Self.now)
        recent.record(.malformed(ValidationError(.securityKey, .empty)), of: Self.user, now: Self.now + 1)
        let history = try #require(recent.history(of: Self.user))
        #expect(history.denials.map(\.reason) == [.malformedKey(.empty), .denial(.revoked)])
        #expect(history.provenDenial == nil)
    }
}
