package import Core
internal import Postgres

/// The counters of registration limits, for operators.
extension PostgresStore {
    /// Takes no lock.
    package func registrationCalls(of person: AppUser, devices: [String]) throws(StoreError) -> RegistrationCalls {
        let offset = offset(for: clock())
        let numbers = devices.map {
            StoreRules.deviceNumber(Device.Key(appID: person.appID, userID: person.userID, deviceID: $0))
        }
        let calls = try read { session throws(PostgresError) in
            let results = try session.run([
                Query(LimitStatements.ofPerson, [.stored(person.appID), .stored(person.userID)]),
                Query(LimitStatements.ofDevices, [.int8Array(numbers)]),
            ])
            let user = CallTimes(bytes: try results[0].first?.bytes(0) ?? [])
            var byNumber: [Int64: CallTimes] = [:]
            for row in results[1] { byNumber[try row.int64(0)] = CallTimes(bytes: try row.bytes(1)) }
            return RegistrationCalls(user: user, devices: numbers.map { byNumber[$0] ?? CallTimes() })
        }
        return offset.localTime(calls)
    }
}

private enum LimitStatements {
    static let ofPerson: StaticString = """
        SELECT calls FROM persons WHERE app = (SELECT number FROM apps WHERE app_id = $1) AND user_id = $2
        """
    static let ofDevices: StaticString = "SELECT device, times FROM device_calls WHERE device = ANY ($1::bigint[])"
}
