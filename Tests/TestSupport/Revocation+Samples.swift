package import Core
package import Time

extension Revocation {
    /// A revocation made at a given time, with an id derived from a number.
    package static func sample(
        _ number: UInt64, appID: String = "app", _ subject: Subject, issuedBefore: UnixSeconds? = nil, reason: String = "",
        at time: UnixMilliseconds = 1_773_130_512_000
    ) -> Revocation {
        Revocation(
            id: UUIDv7(milliseconds: time + number, random: InlineArray(repeating: UInt8(truncatingIfNeeded: number))), appID: appID,
            subject: subject, issuedBefore: issuedBefore, reason: reason, author: "127.0.0.1", createdAt: time + number)
    }

    /// One revocation of each kind, by ascending id.
    package static func samples(appID: String) -> [Revocation] {
        [
            .sample(1, appID: appID, .everyKey, issuedBefore: 1_700_000_000, reason: "leak"),
            .sample(2, appID: appID, .user("ann"), issuedBefore: 1_700_000_001),
            .sample(3, appID: appID, .user("ann"), reason: "blocked\u{301} for ever"),
            .sample(4, appID: appID, .keyID(.max)),
            .sample(5, appID: appID, .keyID(0), issuedBefore: 1_700_000_002),
            .sample(6, appID: appID, .securityKey(salt: Array(0...15))),
            .sample(7, appID: appID, .user("bob"), issuedBefore: latestBound),
            .sample(9, appID: appID, .formerUser(former)),
        ]
    }

    private static var former: FormerUser {
        guard let former = FormerUser(name: String(repeating: "0f", count: 32), salt: Array(0..<32)) else {
            preconditionFailure("a name has 64 digits, a salt 32 bytes")
        }
        return former
    }
}
