import Core
import Crypto
import Time

/// A request that is denied, with the reason.
struct DeniedRequest {
    private static let day: UInt64 = 86_400
    /// The index of a character of a key that consists of bits of the MAC's first byte.
    private static let firstOfMAC = 47

    let name: String
    /// Whether it can be sent without a valid key of this person.
    let isForStrangers: Bool
    let body: [UInt8]

    /// One request of each kind. All have the same length.
    static func all(_ fixture: Fixture) throws -> [DeniedRequest] {
        let app = fixture.authorizer.applications[0]
        let now = Fixture.now
        let random: InlineArray<32, UInt8> = try randomBytes()
        let otherKeys = [Application.Key(id: 7, secret: try HMACKey(secret: random.span))]
        // Without the policy, so that it mints keys that the policy denies.
        let genuine = KeyMinting(try Authorizer([Application(id: Fixture.appID, keys: app.keys)]), defaultLifetimeSeconds: day)
        let unknown = KeyMinting(try Authorizer([Application(id: Fixture.appID, keys: otherKeys)]), defaultLifetimeSeconds: day)
        func key(_ minting: KeyMinting, user: String = Fixture.userID, life: UInt64 = day, at time: UnixSeconds = now) throws -> [UInt8] {
            Array(try minting.mint(appID: Fixture.appID, userID: user, lifetimeSeconds: life, now: time).securityKey.utf8)
        }
        let valid = try key(genuine)
        func request(_ name: String, isForStrangers: Bool, key: [UInt8], app: [UInt8] = fixture.appID) -> DeniedRequest {
            DeniedRequest(name: name, isForStrangers: isForStrangers, body: fixture.json(appID: app, securityKey: key))
        }
        return [
            request("unknown_app", isForStrangers: true, key: valid, app: fixture.unknownAppID),
            request("unknown_key", isForStrangers: true, key: try key(unknown)),
            request("wrong_mac, first byte", isForStrangers: true, key: altered(valid, at: firstOfMAC)),
            request("wrong_mac, last byte", isForStrangers: true, key: altered(valid, at: valid.count - 1)),
            request("wrong_mac, another's key", isForStrangers: true, key: try key(genuine, user: String(Fixture.userID.reversed()))),
            request("expired", isForStrangers: false, key: try key(genuine, at: now - 2 * day)),
            request("too_old", isForStrangers: false, key: try key(genuine, life: 0, at: now - Fixture.maximumLifetimeSeconds - day)),
            request("issued_in_future", isForStrangers: false, key: try key(genuine, at: now + day)),
            request("revoked", isForStrangers: false, key: try key(genuine, at: Fixture.revokedBefore - 1)),
        ]
    }

    private static func altered(_ key: [UInt8], at index: Int) -> [UInt8] {
        var key = key
        key[index] = key[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return key
    }
}
