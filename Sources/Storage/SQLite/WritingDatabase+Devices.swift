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

    /// As it is registered; nil when it has signed out.
    func device(_ appID: String) -> Device? {
        guard let token, let digest else { return nil }
        return Device(
            key: Device.Key(appID: appID, userID: userID, deviceID: deviceID), type: type, token: PushToken(token, digest: digest),
            environment: environment, registeredAt: registeredAt, seenAt: seenAt)
    }
}

extension WritingDatabase {
    /// The devices that a comment is for: the one that it names, or all of a person when that one is unknown; none when it has signed out.
    func candidates(_ event: Event, _ app: Int64) throws(SQLiteError) -> [DeliveryPlan.Candidate] {
        // One search for both: a person has few devices.
        let devices = try devices(ofUser: event.userID, app)
        let named = devices.first { $0.isNamed(event.identity.deviceID) }
        return (named.map { [$0] } ?? devices).filter { $0.token != nil }
            .map { DeliveryPlan.Candidate(deviceID: $0.deviceID, type: $0.type) }
    }

    /// Registers the device of a token that came with a webhook, but never against what an app itself has said of the device, or of the one that
    /// has the token: the help desk may know an older token, person or sign-in.
    func learn(_ arrival: Arrival, _ app: Int64) throws(SQLiteError) {
        let event = arrival.event
        guard let token = arrival.token, !event.identity.deviceID.isEmpty else { return }
        let stored = try findDevice(app, event.userID, event.identity.deviceID)
        if let stored, stored.isFromApp || stored.digest == token.digest { return }
        if let holder = try holder(of: token, app), holder.isFromApp { return }
        let key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: event.identity.deviceID)
        let device = Device(
            key: key, type: event.deviceType ?? stored?.type ?? "", token: token, registeredAt: event.receivedAt, seenAt: event.receivedAt)
        try store(device, app, among: try devices(ofUser: event.userID, app), isFromApp: false)
    }

    /// Does what an app wishes for its device, if it may.
    func register(_ wish: Registration) throws(SQLiteError) -> Result<Registration.Outcome, StoreError> {
        let app = try apps.number(wish.key.appID, self)
        guard let token = wish.token else { return .success(try unsubscribe(wish, app)) }
        if let refusal = whyNot() { return .failure(refusal) }
        let windows = try windows(wish, app)
        if let limited = try limit(wish, windows) { return .success(limited) }
        let devices = try devices(ofUser: wish.key.userID, app)
        if let stored = devices.first(where: { $0.isNamed(wish.key.deviceID) }), stored.token != nil, stored.digest == token.digest,
            stored.type.utf8.elementsEqual(wish.type.utf8)
        {
            try record(wish, windows)
            try touch(wish.key, app, at: wish.now)
            return .success(.unchanged)
        }
        guard counts.total < settings.maxPending else { return .failure(.queueFull(settings.maxPending)) }
        try record(wish, windows)
        let device = Device(key: wish.key, type: wish.type, token: token, registeredAt: wish.now, seenAt: wish.now)
        try store(device, app, among: devices, isFromApp: true)
        return .success(.registered)
    }

    /// Ends a device's registration, and tells of it.
    func remove(_ stored: StoredDevice, _ app: Int64, _ appID: String, _ reason: RegistryChange.Reason, at time: UInt64) throws(SQLiteError)
    {
        guard let device = stored.device(appID) else { return }
        let isFromApp = StoreRules.isFromApp(stored.isFromApp, after: reason)
        try deviceStatements.signOut.run(app, stored.userID, stored.deviceID, time.stored, isFromApp ? 1 : 0 as Int64)
        try announce(RegistryChange(.removed(reason), device, at: time), app)
    }

    /// A device, also when it has signed out.
    func findDevice(_ app: Int64, _ userID: String, _ deviceID: String) throws(SQLiteError) -> StoredDevice? {
        let statement = deviceStatements.find
        statement.bind(app, at: 1)
        statement.bind(userID, at: 2)
        statement.bind(deviceID, at: 3)
        defer { statement.reset() }
        return try statement.step() ? try StoredDevice(statement) : nil
    }

    /// All devices of a person, those that signed out too.
    func devices(ofUser userID: String, _ app: Int64) throws(SQLiteError) -> [StoredDevice] {
        let statement = deviceStatements.ofUser
        statement.bind(app, at: 1)
        statement.bind(userID, at: 2)
        defer { statement.reset() }
        var devices: [StoredDevice] = []
        while try statement.step() { devices.append(try StoredDevice(statement)) }
        return devices
    }

    private func unsubscribe(_ wish: Registration, _ app: Int64) throws(SQLiteError) -> Registration.Outcome {
        guard let stored = try findDevice(app, wish.key.userID, wish.key.deviceID) else {
            // Remembered, so that a webhook that is on its way with a token does not bring it back; but no device that is notified leaves for it.
            let devices = try devices(ofUser: wish.key.userID, app)
            guard devices.count(where: { $0.token != nil }) < settings.devicesPerUser else { return .unchanged }
            try makeRoom(among: devices, app, wish.key.appID, at: wish.now)
            try put(wish.key, wish.type, token: nil, digest: nil, app, registeredAt: wish.now, seenAt: wish.now, isFromApp: true)
            return .unchanged
        }
        guard stored.token != nil else {
            try touch(wish.key, app, at: wish.now)
            return .unchanged
        }
        try remove(stored, app, wish.key.appID, .unsubscribed, at: wish.now)
        return .removed
    }

    /// Writes a device, takes its token away from whoever had it, makes room among the person's other devices, and tells of all of it.
    private func store(_ device: Device, _ app: Int64, among known: [StoredDevice], isFromApp: Bool) throws(SQLiteError) {
        var devices = known
        if let holder = try holder(of: device.token, app), !isSame(holder, device.key) {
            try remove(holder, app, device.key.appID, .moved, at: device.registeredAt)
            if holder.userID.utf8.elementsEqual(device.key.userID.utf8) { devices = try self.devices(ofUser: holder.userID, app) }
        }
        if !devices.contains(where: { $0.isNamed(device.key.deviceID) }) {
            try makeRoom(among: devices, app, device.key.appID, at: device.registeredAt)
        }
        try put(
            device.key, device.type, token: device.token.text, digest: device.token.digest, app, registeredAt: device.registeredAt,
            seenAt: device.seenAt, isFromApp: isFromApp)
        try announce(RegistryChange(.registered, device, at: device.registeredAt), app)
    }

    private func isSame(_ stored: StoredDevice, _ key: Device.Key) -> Bool {
        stored.userID.utf8.elementsEqual(key.userID.utf8) && stored.isNamed(key.deviceID)
    }

    private func holder(of token: PushToken, _ app: Int64) throws(SQLiteError) -> StoredDevice? {
        let statement = deviceStatements.ofToken
        statement.bind(app, at: 1)
        statement.bind(token.digest.span, at: 2)
        defer { statement.reset() }
        return try statement.step() ? try StoredDevice(statement) : nil
    }

    /// Lets as many devices of a person go as are too many with one more: first those that signed out, then those not seen for longest.
    private func makeRoom(among devices: [StoredDevice], _ app: Int64, _ appID: String, at time: UInt64) throws(SQLiteError) {
        let limit = settings.devicesPerUser
        guard devices.count >= limit else { return }
        let order = devices.sorted { StoreRules.leavesFirst(($0.token == nil, $0.seenAt), ($1.token == nil, $1.seenAt)) }
        for stored in order.prefix(devices.count - limit + 1) {
            try remove(stored, app, appID, .tooManyDevices, at: time)
            try forget(stored, app)
        }
    }

    /// Forgets a device, and what kept its limits.
    func forget(_ stored: StoredDevice, _ app: Int64) throws(SQLiteError) {
        try deviceStatements.remove.run(app, stored.userID, stored.deviceID)
        try deviceStatements.forgetCalls.run(app, stored.userID, stored.deviceID, Int64.max)
    }

    /// Notes that the app has said what the row says.
    private func touch(_ key: Device.Key, _ app: Int64, at time: UInt64) throws(SQLiteError) {
        try deviceStatements.touch.run(app, key.userID, key.deviceID, time.stored)
    }

    private func put(
        _ key: Device.Key, _ type: String, token: String?, digest: [UInt8]?, _ app: Int64, registeredAt: UInt64, seenAt: UInt64,
        isFromApp: Bool
    ) throws(SQLiteError) {
        let statement = deviceStatements.put
        statement.bind(app, at: 1)
        statement.bind(key.userID, at: 2)
        statement.bind(key.deviceID, at: 3)
        statement.bind(type, at: 4)
        if let token { statement.bind(token, at: 5) } else { statement.bindNull(at: 5) }
        if let digest { statement.bind(digest.span, at: 6) } else { statement.bindNull(at: 6) }
        statement.bindNull(at: 7)
        statement.bind(registeredAt.stored, at: 8)
        statement.bind(seenAt.stored, at: 9)
        statement.bind(isFromApp ? 1 : 0 as Int64, at: 10)
        try statement.runBound()
    }
}
