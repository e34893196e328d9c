import Bytes
import TestSupport
import Testing
import Time

@testable import Core

@Suite struct SecurityKeyTests {
    /// The expected text is from openssl-dgst(1) and base64(1), not from this code.
    private static let handMade = "dgk1.AAECAwQFBgcICQoLDA0OoKGio6SlpqeoqaqrrK2ur5ub72c3vsoyLKz_s-QcKJgu6d6PK0CfQ-um2B5OJ-GE"

    @Test func `mints the documented layout`() throws {
        let (app, user) = (Array("ab".utf8), Array("é".utf8))
        let key = try SecurityKey.mint(
            appID: app.span, userID: user.span, keyID: 0x0102_0304, secret: try Samples.secret(0), issuedAt: 0x05_0607_0809,
            expiresAt: 0x0A_0B0C_0D0E, salt: InlineArray { 0xA0 + UInt8($0) })
        // Compared outside the expectation, here and below, so that a failure prints no key.
        let isHandMade = key.utf8.elementsEqual(Self.handMade.utf8)
        #expect(isHandMade)
    }

    @Test func `parses the documented layout`() throws {
        let key = try #require(Samples.parsed(Self.handMade))
        #expect(key.keyID == 0x0102_0304)
        #expect(key.issuedAt == 0x05_0607_0809)
        #expect(key.expiresAt == 0x0A_0B0C_0D0E)
        let (head, mac) = (Hexadecimal.text(key.head.span), Hexadecimal.text(key.mac.span))
        #expect(head == "0001020304" + "0506070809" + "0a0b0c0d0e" + "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
        #expect(mac == "9b9bef6737beca322cacffb3e41c28982ee9de8f2b409f43eba6d81e4e27e184")
    }

    @Test func `has its published sizes`() {
        #expect(SecurityKey.textCount == 89)
        #expect(SecurityKey.latestTime == 1_099_511_627_775)
    }

    @Test(arguments: [0, 1, UInt32(1) << 31, .max], [0, 1, 0x1_0000_0000, SecurityKey.latestTime] as [UnixSeconds])
    func `parses its own keys`(keyID: UInt32, time: UnixSeconds) throws {
        let (app, user) = (Array("app".utf8), Array("user".utf8))
        for expiresAt in [0, time, SecurityKey.latestTime] {
            let text = try SecurityKey.mint(
                appID: app.span, userID: user.span, keyID: keyID, secret: try Samples.secret(1), issuedAt: time, expiresAt: expiresAt,
                salt: InlineArray(repeating: 7))
            let key = try #require(Samples.parsed(text))
            #expect(text.utf8.count == SecurityKey.textCount)
            #expect(key.keyID == keyID)
            #expect([key.issuedAt, key.expiresAt] == [time, expiresAt])
        }
    }

    @Test func `salt alone makes keys differ`() throws {
        let (first, second) = (try Samples.triple("app", "user", salt: 1), try Samples.triple("app", "user", salt: 2))
        let haveOneHead = first.securityKey.prefix(25) == second.securityKey.prefix(25)
        #expect(haveOneHead)
        let haveOneMac = first.securityKey.suffix(42) == second.securityKey.suffix(42)
        #expect(!haveOneMac)
    }

    /// A key has exactly one spelling: no other byte in any place gives the same key, and most give none.
    @Test func `has exactly one spelling`() throws {
        let key = try Samples.triple("app", "user").securityKey
        var seen: Set<[UInt8]> = [try bytes(of: key)]
        for place in key.indices {
            for byte in UInt8.min...UInt8.max where byte != key[place] {
                var other = key
                other[place] = byte
                guard SecurityKey(other.span) != nil else { continue }
                let isNew = seen.insert(try bytes(of: other)).inserted
                #expect(isNew && place >= 5, "byte \(byte) at \(place)")
            }
        }
        // 84 places with 63 other characters each, except those that set a flag: all of the first place, and 48 of the second.
        #expect(seen.count == 1 + 82 * 63 + 15)
    }

    @Test func `rejects times beyond the limits`() async {
        await #expect(processExitsWith: .failure) { _ = try Samples.triple("a", "u", issuedAt: SecurityKey.latestTime + 1) }
        await #expect(processExitsWith: .failure) { _ = try Samples.triple("a", "u", expiresAt: SecurityKey.latestTime + 1) }
    }

    private func bytes(of text: [UInt8]) throws -> [UInt8] {
        let parsed = SecurityKey(text.span)
        let key = try #require(parsed)
        return key.head.indices.map { key.head[$0] } + key.mac.indices.map { key.mac[$0] }
    }
}
