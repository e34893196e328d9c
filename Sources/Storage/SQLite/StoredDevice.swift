internal import Core
internal import SQLite
internal import Time

extension RegistryDevice {
    /// Reads a row of `devices` from its first columns: `device_id, type, token, digest, environment, registered_at, seen_at, user_id,
    /// from_app, issued_at, key_id, salt`.
    init(_ row: Statement, appID: String) throws(SQLiteError) {
        let key = Device.Key(appID: appID, userID: try row.string(7), deviceID: try row.string(0))
        let (text, digest) = (try row.optionalString(2), try row.optionalBytes(3))
        let token = if let text, let digest { PushToken(text, digest: digest) } else { nil as PushToken? }
        self.init(
            key: key, type: try row.string(1), token: token, digest: digest, environment: try row.optionalString(4),
            registeredAt: try row.time(5), seenAt: try row.time(6), isReportedByApp: try row.int64(8) != 0,
            claims: KeyClaims(
                issuedAt: UnixSeconds(rawValue: UInt64(clamping: try row.int64(9))), keyID: row.isNull(10) ? nil : try row.int64(10),
                salt: try row.optionalBytes(11)))
    }
}
