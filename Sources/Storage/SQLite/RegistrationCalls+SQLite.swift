package import Core
internal import SQLite

/// The counts of limits of registrations, for operators.
extension SQLiteStore {
    package func registrationCalls(of person: AppUser, devices: [String]) throws(StoreError) -> RegistrationCalls {
        try read(listReader) { database throws(SQLiteError) in try database.limitQueries.calls(of: person, devices: devices) }
    }
}

struct LimitQueries {
    private let ofPerson, ofDevice: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        ofPerson = try Statement(
            connection,
            "SELECT calls FROM devices WHERE app = (SELECT number FROM apps WHERE app_id = ?1) AND user_id = ?2 AND device_id = ''")
        ofDevice = try Statement(connection, "SELECT times FROM device_calls WHERE device = ?1")
    }

    func calls(of person: AppUser, devices: [String]) throws(SQLiteError) -> RegistrationCalls {
        var (user, found) = (CallTimes(), [CallTimes]())
        try ofPerson.forEachRow(person.appID, person.userID) { row throws(SQLiteError) in
            user = CallTimes(bytes: try row.optionalBytes(0) ?? [])
        }
        for device in devices {
            var times = CallTimes()
            let key = Device.Key(appID: person.appID, userID: person.userID, deviceID: device)
            try ofDevice.forEachRow(StoreRules.deviceNumber(key)) { row throws(SQLiteError) in
                times = CallTimes(bytes: try row.optionalBytes(0) ?? [])
            }
            found.append(times)
        }
        return RegistrationCalls(user: user, devices: found)
    }
}
