internal import Core
internal import SQLite
internal import Time

extension WritingDatabase {
    /// Registers or unsubscribes a device, if the limits allow it.
    func register(_ registration: Registration, _ audience: RegistryAudience) throws(SQLiteError) -> Result<
        Registration.Outcome, StoreError
    > {
        // Signing out is never rejected.
        if registration.token != nil, let refusal = acceptanceRefusal() { return .failure(refusal) }
        let (outcome, changes) = try RegistryTransition.register(registration, devicesPerUser: settings.devicesPerUser, in: self)
        try apply(changes, audience)
        return .success(outcome)
    }

    /// The devices that a comment may be delivered to.
    func candidates(_ event: Event) throws(SQLiteError) -> [DeliveryPlan.Candidate] {
        try DeliveryPlan.candidates(for: event, in: self)
    }

    /// Removes devices of a person at an operator's request, or of a forgotten person.
    /// - Returns: the number of removed registered devices, and the number of processed rows. If fewer than `limit` rows were processed,
    ///   none is left.
    func removeDevices(
        _ filter: DeviceFilter, reason: RegistryChange.Reason, now: UnixMilliseconds, limit: Int, audience: RegistryAudience
    ) throws(SQLiteError) -> (removed: Int, dealtWith: Int) {
        // An unknown app gets no number.
        guard try apps.find(filter.appID, self) != nil else { return (0, 0) }
        let (removed, dealtWith, changes) = try RegistryTransition.remove(filter, reason, now: now, limit: limit, in: self)
        try apply(changes, audience)
        return (removed, dealtWith)
    }

    /// Removes devices and tombstones last seen before a time, and the calls recorded before it.
    /// - Returns: how many devices and tombstones were removed.
    func removeIdleDevices(
        seenBefore: UnixMilliseconds, now: UnixMilliseconds, limit: Int, _ audience: RegistryAudience
    ) throws(SQLiteError) -> Int {
        var idle: [RegistryDevice] = []
        try deviceStatements.idle.forEachRow(seenBefore.stored, limit) { row throws(SQLiteError) in
            idle.append(try RegistryDevice(row, appID: try row.string(12)))
        }
        for device in idle { try apply(RegistryTransition.removeIdle(device, now: now), audience) }
        try forgetIdleCalls(before: seenBefore)
        return idle.count
    }

    /// Writes the changes that `RegistryTransition` has decided.
    func apply(_ changes: [RegistryTransition.Change], _ audience: RegistryAudience) throws(SQLiteError) {
        for change in changes { try apply(change, audience) }
    }

    private func apply(_ change: RegistryTransition.Change, _ audience: RegistryAudience) throws(SQLiteError) {
        let statements = deviceStatements
        switch change {
        case .put(let device): try put(device)
        case .touch(let key, let time, let claims):
            try statements.touch.run(
                try number(key.appID), key.userID, key.deviceID, time.stored, claims.issuedAt.rawValue.stored,
                claims.key.map { Int64($0.keyID) }, claims.key?.salt)
        case .signOut(let key, let time, let isReportedByApp):
            try statements.signOut.run(try number(key.appID), key.userID, key.deviceID, time.stored, isReportedByApp ? 1 : 0 as Int64)
        case .setEnvironment(let key, let name):
            try statements.setEnvironment.run(try number(key.appID), key.userID, key.deviceID, name)
        case .forget(let key): try statements.remove.run(try number(key.appID), key.userID, key.deviceID)
        case .putUserCalls(let key, let times, let time):
            statements.putCalls.bind(try number(key.appID), at: 1)
            statements.putCalls.bind(key.userID, at: 2)
            statements.putCalls.bind(time.stored, at: 3)
            statements.putCalls.bind(times.bytes.span, at: 4)
            try statements.putCalls.runBound()
        case .putDeviceCalls(let key, let times, let time):
            statements.putDeviceCalls.bind(StoreRules.deviceNumber(key), at: 1)
            statements.putDeviceCalls.bind(time.stored, at: 2)
            statements.putDeviceCalls.bind(times.bytes.span, at: 3)
            try statements.putDeviceCalls.runBound()
        case .insertCall(let series, let number, let time): try statements.insertCall.run(try self.number(series), number, time.stored)
        case .forgetCalls(let series, let last): try statements.forgetCalls.run(try number(series), last)
        case .forgetDeviceCalls(let key): try statements.forgetDeviceCalls.run(StoreRules.deviceNumber(key))
        case .forgetUserCalls(let appID, let userID): try statements.remove.run(try number(appID), userID, "")
        case .announce(let change): try announce(change, audience)
        }
    }

    private func put(_ device: RegistryDevice) throws(SQLiteError) {
        let statement = deviceStatements.put
        statement.bind(try number(device.key.appID), at: 1)
        statement.bind(device.key.userID, at: 2)
        statement.bind(device.key.deviceID, at: 3)
        statement.bind(device.type, at: 4)
        if let token = device.token { statement.bind(token.text, at: 5) } else { statement.bindNull(at: 5) }
        if let digest = device.digest { statement.bind(digest.span, at: 6) } else { statement.bindNull(at: 6) }
        statement.bind(device.environment, at: 7)
        statement.bind(device.registeredAt.stored, at: 8)
        statement.bind(device.seenAt.stored, at: 9)
        statement.bind(device.isReportedByApp ? 1 : 0 as Int64, at: 10)
        statement.bind(device.claims.issuedAt.rawValue.stored, at: 11)
        statement.bind(device.claims.key.map { Int64($0.keyID) }, at: 12)
        if let key = device.claims.key { statement.bind(key.salt.span, at: 13) } else { statement.bindNull(at: 13) }
        try statement.runBound()
    }

    /// Deletes calls recorded before a time. Calls about persons are found with an index. Rows of calls about devices are scanned, one step
    /// in each call, because an index would make every registration slower.
    private func forgetIdleCalls(before time: UnixMilliseconds) throws(SQLiteError) {
        var persons: [(app: Int64, userID: String)] = []
        try deviceStatements.findIdleCalls.forEachRow(time.stored, Self.personsPerStep) { row throws(SQLiteError) in
            persons.append((try row.int64(0), try row.string(1)))
        }
        for person in persons { try deviceStatements.remove.run(person.app, person.userID, "") }
        var next = Int64.max
        try deviceStatements.nextDeviceCalls.forEachRow(nextDeviceCalls, Self.callsPerStep) { row throws(SQLiteError) in
            next = try row.int64(0)
        }
        try deviceStatements.forgetIdleDeviceCalls.run(nextDeviceCalls, next, time.stored)
        nextDeviceCalls = next == .max ? .min : next
    }

    /// The number of persons whose calls one step deletes, so that other calls do not wait long.
    private static var personsPerStep: Int { 100 }
    /// The number of adjacent rows that one step scans.
    private static var callsPerStep: Int { 5000 }
}

/// The queries of `RegistryTransition`; each is one search.
extension WritingDatabase: RegistryRows {
    func device(_ key: Device.Key) throws(SQLiteError) -> RegistryDevice? {
        let statement = deviceStatements.find
        statement.bind(try number(key.appID), at: 1)
        statement.bind(key.userID, at: 2)
        statement.bind(key.deviceID, at: 3)
        defer { statement.reset() }
        return try statement.step() ? try RegistryDevice(statement, appID: key.appID) : nil
    }

    /// A person has few devices. The row with an empty device holds the person's own calls.
    func person(appID: String, userID: String) throws(SQLiteError) -> RegistryPerson {
        let statement = deviceStatements.ofUser
        statement.bind(try number(appID), at: 1)
        statement.bind(userID, at: 2)
        defer { statement.reset() }
        var person = RegistryPerson()
        while try statement.step() {
            let device = try RegistryDevice(statement, appID: appID)
            if device.key.deviceID.isEmpty {
                person.calls = CallTimes(bytes: try statement.optionalBytes(12) ?? [])
            } else {
                person.devices.append(device)
            }
        }
        return person
    }

    func holder(of token: PushToken, appID: String) throws(SQLiteError) -> RegistryDevice? {
        let statement = deviceStatements.ofToken
        statement.bind(try number(appID), at: 1)
        statement.bind(token.digest.span, at: 2)
        defer { statement.reset() }
        return try statement.step() ? try RegistryDevice(statement, appID: appID) : nil
    }

    func calls(ofDevice key: Device.Key) throws(SQLiteError) -> CallTimes {
        let statement = deviceStatements.deviceCalls
        statement.bind(StoreRules.deviceNumber(key), at: 1)
        defer { statement.reset() }
        return CallTimes(bytes: try statement.step() ? try statement.optionalBytes(0) ?? [] : [])
    }

    func lastCall(in series: CallSeries) throws(SQLiteError) -> Int64 {
        var last: Int64 = 0
        try deviceStatements.lastCall.forEachRow(try number(series)) { row throws(SQLiteError) in last = try row.int64(0) }
        // A damaged file may hold any number, and the caller adds one.
        return min(max(0, last), .max - 1)
    }

    func time(ofCall number: Int64, in series: CallSeries) throws(SQLiteError) -> UnixMilliseconds? {
        var time: UnixMilliseconds?
        try deviceStatements.call.forEachRow(try self.number(series), number) { row throws(SQLiteError) in time = try row.time(0) }
        return time
    }

    /// The app's number in the file.
    private func number(_ appID: String) throws(SQLiteError) -> Int64 { try apps.number(appID, self) }

    /// The number of the series in the table `windows`: 0 for the whole service.
    private func number(_ series: CallSeries) throws(SQLiteError) -> Int64 {
        switch series {
        case .app(let appID): try number(appID.text)
        case .service: 0
        }
    }
}
