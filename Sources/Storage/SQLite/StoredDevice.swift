internal import Core
internal import SQLite

/// A row of `devices`: a device that is registered, or that has signed out.
struct StoredDevice {
    let deviceID: String
    let userID: String
    let type: String
    /// Nil when it has signed out.
    let token: String?
    /// Of the last token; nil when it never had one.
    let digest: [UInt8]?
    let environment: String?
    let registeredAt: UInt64
    let seenAt: UInt64
    /// Whether its app itself said so, which no webhook changes.
    let isFromApp: Bool

    init(_ row: Statement) throws(SQLiteError) {
        deviceID = try row.string(0)
        type = try row.string(1)
        token = try row.optionalString(2)
        digest = try row.optionalBytes(3)
        environment = try row.optionalString(4)
        registeredAt = try row.time(5)
        seenAt = try row.time(6)
        userID = try row.string(7)
        isFromApp = try row.int64(8) != 0
    }

    func isNamed(_ deviceID: String) -> Bool {
        self.deviceID.utf8.elementsEqual(deviceID.utf8)
    }

    func key(_ appID: String) -> Device.Key {
        Device.Key(appID: appID, userID: userID, deviceID: deviceID)
    }

    /// As it is registered; nil when it has signed out.
    func device(_ appID: String) -> Device? {
        guard let token, let digest else { return nil }
        return Device(
            key: key(appID), type: type, token: PushToken(token, digest: digest),
            environment: environment, registeredAt: registeredAt, seenAt: seenAt)
    }
}
