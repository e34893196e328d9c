import Crypto
import Testing
import Time

@testable import Core

/// The combined knowledge of several processes about a user's recent authorizations.
@Suite struct KnownAuthorizationsTests {
    private static let now: UnixSeconds = 1_773_130_512
    private static let user = KeyedDigest(low: 1, high: 2)

    /// The knowledge of a process with these verdicts, each given some seconds after `now`.
    private func known(_ verdicts: [(Verdict, UInt64)], startedAt: UnixSeconds = now - 100) -> KnownAuthorizations {
        var recent = RecentAuthorizations(RecentAuthorizations.Limits(apps: 1), since: startedAt)
        for (verdict, second) in verdicts { recent.record(verdict, of: Self.user, now: Self.now + second) }
        return KnownAuthorizations(
            startedAt: startedAt, completeSince: recent.completeSince, history: recent.history(of: Self.user))
    }

    private static let wrong = Verdict.denied(.wrongMac, keyID: 1)
    private static let expired = Verdict.denied(.expired, keyID: 2)
    private static let unknown = Verdict.denied(.unknownKey, keyID: nil)
    private static let allowed = Verdict.authorized(keyID: 3)
    private static let undecided = Verdict.undecided(.backendTimeout)
    private static let shadowed = Verdict.shadowed(.wrongMac, keyID: 1)

    @Test func `a process reports to another that shadow mode allowed a user`() throws {
        let known = known([(Self.wrong, 1), (Self.shadowed, 2)])
        let reported = try #require(KnownAuthorizations(parsing: known.moved(byMilliseconds: 5000).serialized()))
        #expect(reported.history?.lastSuccess?.isShadowed == true)
        let allowed = try #require(KnownAuthorizations(parsing: self.known([(Self.allowed, 1)]).serialized()))
        #expect(allowed.history?.lastSuccess?.isShadowed == false)
    }

    @Test func `the latest decision applies`() throws {
        let denied = known([(Self.wrong, 1), (Self.wrong, 5)])
        for (second, isDenied) in [(4, true), (5, false), (6, false)] as [(UInt64, Bool)] {
            let allowed = known([(Self.allowed, second)])
            for merged in [denied.merged(with: allowed), allowed.merged(with: denied)] {
                let history = try #require(merged.history)
                #expect(history.isDenied == isDenied, "\(second)")
                #expect(history.lastSuccess?.at == Self.now + second)
                #expect(history.denials.map(\.at) == [Self.now + 5])
            }
        }
    }

    @Test func `the latest decision also replaces a failure`() throws {
        let failed = known([(Self.undecided, 5)])
        for (second, isLatest) in [(4, true), (5, false), (6, false)] as [(UInt64, Bool)] {
            for other in [known([(Self.allowed, second)]), known([(Self.wrong, second)])] {
                #expect((failed.merged(with: other).history?.failure != nil) == isLatest, "\(second)")
                #expect((other.merged(with: failed).history?.failure != nil) == isLatest, "\(second)")
            }
        }
        let later = known([(.undecided(.backendStatus), 6)])
        #expect(failed.merged(with: later).history?.failure?.reason == .undecided(.backendStatus))
        #expect(later.merged(with: failed).history?.failure?.reason == .undecided(.backendStatus))
    }

    @Test(
        arguments: UndecidedReason.allCases.map { AuthorizationFailure.Reason.undecided($0) }
            + LimitRule.Scope.allCases.map { AuthorizationFailure.Reason.limited($0) })
    func `a process reports a failure to another`(_ reason: AuthorizationFailure.Reason) throws {
        var recent = RecentAuthorizations(RecentAuthorizations.Limits(apps: 1), since: Self.now)
        var rule: LimitRule?
        if case .limited(let scope) = reason { rule = LimitRule(per: scope, max: 2, windowMilliseconds: 300_000) }
        recent.record(AuthorizationFailure(reason, at: Self.now + 3, nextAt: Self.now + 9, rule: rule), of: Self.user)
        let known = KnownAuthorizations(startedAt: Self.now, completeSince: Self.now, history: recent.history(of: Self.user))
        let reported = try #require(KnownAuthorizations(parsing: known.moved(byMilliseconds: 5000).serialized()))
        #expect(reported.history?.failure == AuthorizationFailure(reason, at: Self.now + 8, nextAt: Self.now + 14, rule: rule))
    }

    @Test(
        arguments: [(1, 300, false), (2, 300, true), (1, 299, true), (1, 301, false), (2, 301, true)] as [(Int, UInt64, Bool)])
    func `a higher limit ends a failure`(_ most: Int, seconds: UInt64, isLifted: Bool) {
        let refusal = LimitRefusal(LimitRule(per: .user, max: 1, windowMilliseconds: 300_000), until: 1)
        let failure = AuthorizationFailure(refusal, at: Self.now)
        let inForce = LimitRule(per: .user, max: most, windowMilliseconds: seconds * 1000)
        #expect(failure.isLifted(by: [inForce]) == isLifted)
        #expect(failure.isLifted(by: [LimitRule(per: .device, max: 1, windowMilliseconds: 300_000)]), "another scope")
        #expect(failure.isLifted(by: []))
        #expect(!AuthorizationFailure(.limited(.user), at: Self.now).isLifted(by: []), "of a replica that does not tell the limit")
    }

    @Test func `denials are summed`() throws {
        let here = known([(Self.wrong, 1), (Self.expired, 2), (Self.wrong, 130)])
        let there = known([(.denied(.tooOld, keyID: 1), 0), (Self.unknown, 3), (Self.wrong, 200)])
        let history = try #require(here.merged(with: there).history)
        #expect(history.count(at: Self.now + 200) == 6)
        #expect(history.denials.map(\.denial) == [.wrongMac, .unknownKey, .expired])
        #expect(history.isDenied)
    }

    /// Denials more than ten minutes before the other process's latest one are not counted.
    @Test func `old denials are not counted`() throws {
        let (here, there) = (known([(Self.wrong, 0)]), known([(Self.wrong, 1000)]))
        for merged in [here.merged(with: there), there.merged(with: here)] {
            #expect(try #require(merged.history).count(at: Self.now + 1000) == 1)
        }
    }

    @Test func `a process without records adds only the start of its record`() throws {
        let merged = known([(Self.wrong, 1)]).merged(with: known([], startedAt: Self.now - 7))
        #expect(merged.history?.isDenied == true)
        #expect(merged.startedAt == Self.now - 7)
        #expect(merged.completeSince == Self.now - 7)
        #expect(known([]).merged(with: known([])).history == nil)
    }

    @Test(
        arguments: [(0, 0, 0), (499, 0, 0), (-500, -1, 0), (29_000, 29, 0), (30_000, 30, 1), (-300_000, -300, -5)]
            as [(Int64, Int64, Int64)])
    func `another clock shifts all times`(_ milliseconds: Int64, seconds: Int64, minutes: Int64) throws {
        var known = known([(Self.allowed, 1), (Self.wrong, 2), (Self.expired, 200)])
        known.silentReplicas = 3
        let moved = known.moved(byMilliseconds: milliseconds)
        #expect(moved.startedAt == known.startedAt.advanced(by: seconds))
        #expect(moved.completeSince == known.completeSince.advanced(by: seconds))
        #expect(moved.silentReplicas == 3)
        let (here, there) = (try #require(known.history), try #require(moved.history))
        #expect(there.isDenied)
        #expect(there.lastSuccess?.at == here.lastSuccess?.at.advanced(by: seconds))
        #expect(there.lastSuccess?.keyID == 3)
        #expect(there.denials.map(\.at) == here.denials.map { $0.at.advanced(by: seconds) })
        #expect(there.denials.map(\.keyID) == [2, 1])
        #expect(there.minutes.map { Int64($0.minute) } == here.minutes.map { Int64($0.minute) + minutes })
        #expect(there.minutes.map(\.count) == [1, 1])
        #expect(known.moved(byMilliseconds: .min).startedAt == 0, "nothing traps")
    }

    @Test(
        arguments: [
            [], [(wrong, 1)], [(allowed, 1)], [(wrong, 1), (expired, 70), (unknown, 130), (wrong, 140), (allowed, 150)],
            [(.authorized(keyID: nil), 1), (.denied(.backendDenied, keyID: nil), 2)], [(wrong, 1), (shadowed, 2)],
        ] as [[(Verdict, UInt64)]])
    func `a process reports decisions to another`(_ verdicts: [(Verdict, UInt64)]) throws {
        let known = known(verdicts)
        let reported = try #require(KnownAuthorizations(parsing: known.serialized()))
        #expect(reported.startedAt == known.startedAt)
        #expect(reported.completeSince == known.completeSince)
        #expect((reported.history == nil) == (known.history == nil))
        #expect(reported.history?.lastSuccess == known.history?.lastSuccess)
        #expect(reported.history?.denials == known.history?.denials)
        #expect(reported.history?.isDenied == known.history?.isDenied)
        for passed: UInt64 in [0, 150, 660, 700, 5000] {
            #expect(reported.history?.count(at: Self.now + passed) == known.history?.count(at: Self.now + passed))
        }
    }

    @Test(arguments: ["", "[]", "{}", "7", #"{"started_at":1}"#, #"{"started_at":-1,"complete_since":1}"#])
    func `a malformed text is rejected`(_ text: String) {
        #expect(KnownAuthorizations(parsing: Array(text.utf8)) == nil)
    }

    /// A later version may have reasons unknown to this one.
    @Test func `skips unknown reasons`() throws {
        let text = #"{"started_at":1,"complete_since":2,"x":1,"history":{"is_denied":true,"denials":[{"reason":"new","at":1}]}}"#
        let known = try #require(KnownAuthorizations(parsing: Array(text.utf8)))
        #expect(known.history?.isDenied == false)
        #expect(known.history?.denials == [])
        #expect(known.silentReplicas == 0)
    }

    private func authorizer(secret: UInt8 = 1) throws -> Authorizer {
        let key = Application.Key(id: 1, secret: try HMACKey(secret: [UInt8](repeating: secret, count: 32).span))
        let other = Application.Key(id: 9, secret: try HMACKey(secret: [UInt8](repeating: 9, count: 32).span))
        return try Authorizer([Application(id: "shop", keys: [key, other]), Application(id: "bank", keys: [key])])
    }

    private func digest(_ user: String, in app: String?, _ authorizer: Authorizer) -> KeyedDigest {
        authorizer.digest(ofUser: user.utf8.span, in: app.flatMap { authorizer.index(of: $0.utf8.span) })
    }

    @Test func `all processes use the same digest of a user`() throws {
        let (here, there) = (try authorizer(), try authorizer())
        #expect(digest("ann", in: "shop", here) == digest("ann", in: "shop", there))
        let names = [
            digest("ann", in: "shop", here), digest("bob", in: "shop", here), digest("ann", in: "bank", here), digest("ann", in: nil, here),
            digest("ann", in: "shop", try authorizer(secret: 2)),
        ]
        #expect(Set(names).count == names.count)
    }

    @Test func `a digest is sixteen bytes`() {
        let digest = KeyedDigest(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908)
        #expect(digest.bytes == (0..<16).map { $0 })
        #expect(KeyedDigest(bytes: digest.bytes.span) == digest)
        #expect(KeyedDigest(bytes: [UInt8](repeating: 0, count: 15).span) == nil)
        #expect(KeyedDigest(bytes: [UInt8](repeating: 0, count: 17).span) == nil)
    }
}
