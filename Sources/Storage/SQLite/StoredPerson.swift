internal import SQLite

/// What is known of a person.
struct StoredPerson {
    /// The allowed calls of all devices.
    var calls = CallTimes()
    /// All devices, those that signed out too.
    var devices: [StoredDevice] = []

    /// Takes in a row of `ofUser`: the one with an empty device is the person's own.
    mutating func add(_ row: Statement) throws(SQLiteError) {
        let stored = try StoredDevice(row)
        if stored.deviceID.isEmpty { calls = try CallTimes(row, 9) } else { devices.append(stored) }
    }
}
