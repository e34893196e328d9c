import Core
import Crypto
import TestSupport
import Testing
import Time

/// Properties of all keys, tested with keys from a seeded generator.
@Suite struct TamperingTests {
    private static let appIDs = ["shop", "Shop", "магазин", "店", "🦊", "a b"]
    private static let userIDs = ["u", "user-42", "Пользователь №7", "e\u{301}", "\u{e9}", "👩‍👩‍👧", "{\"a\":1}", "' OR 1=1"]
    private let authorizer: Authorizer

    init() throws {
        authorizer = try Authorizer(Self.appIDs.map { try Samples.application($0, keys: 1, 2, 3) })
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a minted key is authorized`(seed: UInt64) throws {
        let (triple, keyID) = try randomTriple(seed)
        #expect(authorizer.authorize(triple, now: Samples.now).verdict == .authorized(keyID: UInt32(keyID)))
    }

    /// A changed key id may be unknown, and a changed flag is malformed; every other change is a wrong MAC, for any times.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a flipped bit is rejected`(seed: UInt64) throws {
        let (triple, keyID) = try randomTriple(seed)
        let bytes = try #require(Base64URL.decode(String(decoding: triple.securityKey.dropFirst(5), as: UTF8.self)))
        for bit in 0..<63 * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            var changed = triple
            changed.securityKey = Array("dgk1.\(Base64URL.encode(flipped.span))".utf8)
            let expected = expectation(afterFlipping: bit, of: keyID, to: flipped[4])
            #expect(authorizer.authorize(changed, now: Samples.now).verdict == expected, "bit \(bit)")
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `any other app is denied`(seed: UInt64) throws {
        let (triple, keyID) = try randomTriple(seed)
        for appID in Self.appIDs where Array(appID.utf8) != triple.appID {
            var other = triple
            other.appID = Array(appID.utf8)
            #expect(authorizer.authorize(other, now: Samples.now).verdict == .denied(.wrongMac, keyID: UInt32(keyID)), "\(appID)")
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `any other user is denied`(seed: UInt64) throws {
        let (triple, keyID) = try randomTriple(seed)
        for userID in Self.userIDs where Array(userID.utf8) != triple.userID {
            var other = triple
            other.userID = Array(userID.utf8)
            #expect(authorizer.authorize(other, now: Samples.now).verdict == .denied(.wrongMac, keyID: UInt32(keyID)), "\(userID)")
        }
    }

    /// The apps have equal secrets here, so only the lengths in the MAC distinguish them.
    @Test func `one identifier cannot extend into the other`() throws {
        let authorizer = try Authorizer([Samples.application("ab", keys: 1), Samples.application("a", keys: 1)])
        var triple = try Samples.triple("ab", "c")
        triple.appID = Array("a".utf8)
        triple.userID = Array("bc".utf8)
        #expect(authorizer.authorize(triple, now: Samples.now).verdict == .denied(.wrongMac, keyID: 1))
    }

    private func expectation(afterFlipping bit: Int, of keyID: UInt8, to lowByte: UInt8) -> Verdict {
        switch bit {
        case 0..<8: .malformed(ValidationError(.securityKey, .notASecurityKey))
        case 8..<32: .denied(.unknownKey, keyID: nil)
        case 32..<40: (1...3).contains(lowByte) ? .denied(.wrongMac, keyID: UInt32(lowByte)) : .denied(.unknownKey, keyID: nil)
        default: .denied(.wrongMac, keyID: UInt32(keyID))
        }
    }

    private func randomTriple(_ seed: UInt64) throws -> (Triple, keyID: UInt8) {
        var generator = SeededGenerator(seed: seed)
        let keyID = UInt8.random(in: 1...3, using: &generator)
        let expiresAt = Bool.random(using: &generator) ? 0 : time(in: Samples.now...SecurityKey.latestTime, &generator)
        let triple = try Samples.triple(
            generator.element(of: Self.appIDs), generator.element(of: Self.userIDs), keyID: keyID,
            issuedAt: time(in: 0...Samples.now, &generator), expiresAt: expiresAt,
            salt: .random(in: 0...255, using: &generator))
        return (triple, keyID)
    }

    private func time(in range: ClosedRange<UnixSeconds>, _ generator: inout SeededGenerator) -> UnixSeconds {
        UnixSeconds(rawValue: .random(in: range.lowerBound.rawValue...range.upperBound.rawValue, using: &generator))
    }
}
