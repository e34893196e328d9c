internal import Crypto
internal import Time

/// The parsed fields of a ticket, not verified.
struct BotAccessTokenLayout {
    static let codeCount = 16
    private static let fixedCount = 4 + 4 + 5 + 2 + 8
    /// Bytes of a security key's fields: key id, time of issue, salt.
    private static let keyCount = 4 + 5 + SecurityKey.saltCount
    /// Flags stored in the same bytes as the lifetime in seconds.
    private static let (utf16Bit, keyBit): (UInt64, UInt64) = (0x8000, 0x4000)
    /// In bytes. The longest user id takes 200 bytes, in UTF-16.
    static let longestText =
        BotAccessToken.prefix.utf8.count + ((fixedCount + keyCount + 2 * FieldGrammar.longestUserID + codeCount) * 4 + 2) / 3

    let bot, app: [UInt8]
    let signed: [UInt8]
    let code: [UInt8]
    private let issuedAt, life, startID: UInt64
    private let key: KeyIdentity?
    private let user: BotAccessTokenUser

    /// Returns nil when bytes are missing.
    init?(_ bytes: [UInt8]) {
        guard bytes.count > Self.fixedCount + Self.codeCount else { return nil }
        (bot, app) = (Array(bytes[0..<4]), Array(bytes[4..<8]))
        let lifeAndForm = Self.number(bytes[13..<15])
        (issuedAt, life, startID) = (Self.number(bytes[8..<13]), lifeAndForm & BotAccessToken.maximumLifetime, Self.number(bytes[15..<23]))
        signed = Array(bytes.dropLast(Self.codeCount))
        code = Array(bytes.suffix(Self.codeCount))
        var rest = signed.dropFirst(Self.fixedCount)
        if lifeAndForm & Self.keyBit == 0 {
            key = nil
        } else {
            guard rest.count > Self.keyCount else { return nil }
            key = Self.key(rest.prefix(Self.keyCount))
            rest = rest.dropFirst(Self.keyCount)
        }
        user = BotAccessTokenUser(bytes: Array(rest), isUTF16: lifeAndForm & Self.utf16Bit != 0)
    }

    /// Returns the bytes before the authentication code.
    static func signedBytes(of ticket: BotAccessToken, bot: String) throws(CryptoError) -> [UInt8] {
        let grant = ticket.grant
        let user = BotAccessTokenUser(grant.userID)
        var bytes = try digest(bot) + digest(grant.appID)
        bytes.append(grant.issuedAt.rawValue, count: 5)
        let form = (user.isUTF16 ? utf16Bit : 0) | (grant.key == nil ? 0 : keyBit)
        bytes.append((grant.expiresAt - grant.issuedAt) | form, count: 2)
        bytes.append(ticket.startID, count: 8)
        if let key = grant.key {
            bytes.append(UInt64(key.keyID), count: 4)
            bytes.append(key.issuedAt.rawValue, count: 5)
            bytes += key.salt
        }
        return bytes + user.bytes
    }

    /// Returns nil when the user id is not valid text.
    func ticket(appID: String) -> BotAccessToken? {
        user.text.map { userID in
            let issuedAt = UnixSeconds(rawValue: issuedAt)
            return BotAccessToken(
                BotGrant(appID: appID, userID: userID, key: key, issuedAt: issuedAt, expiresAt: issuedAt + life), startID: startID)
        }
    }

    /// Returns the first four bytes of the SHA-256 of a name; the name itself would be too long.
    static func digest(_ name: String) throws(CryptoError) -> [UInt8] {
        Array(try sha256(name.utf8.span).prefix(4))
    }

    private static func key(_ bytes: ArraySlice<UInt8>) -> KeyIdentity {
        KeyIdentity(
            keyID: UInt32(truncatingIfNeeded: number(bytes.prefix(4))),
            issuedAt: UnixSeconds(rawValue: number(bytes.dropFirst(4).prefix(5))), salt: Array(bytes.suffix(SecurityKey.saltCount)))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// A user id in UTF-8 or UTF-16, whichever is shorter. An id of 100 code units takes at most 200 bytes.
struct BotAccessTokenUser {
    let bytes: [UInt8]
    let isUTF16: Bool

    init(_ text: String) {
        isUTF16 = text.utf8.count > 2 * text.utf16.count
        bytes = isUTF16 ? text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } : Array(text.utf8)
    }

    init(bytes: [UInt8], isUTF16: Bool) {
        (self.bytes, self.isUTF16) = (bytes, isUTF16)
    }

    /// Nil when the bytes are not valid text.
    var text: String? {
        guard isUTF16 else { return String(validating: bytes, as: UTF8.self) }
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return String(validating: units, as: UTF16.self)
    }
}

extension [UInt8] {
    /// Appends the `count` lowest bytes, most significant first.
    mutating func append(_ number: UInt64, count: Int) {
        for index in (0..<count).reversed() { append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }
}
