internal import Core
internal import SQLite

extension WritingDatabase {
    /// The devices that a comment is for: the one that it names, or all of a person when that one is unknown; none when it has signed out.
    func candidates(_ event: Event, _ app: Int64) throws(SQLiteError) -> [DeliveryPlan.Candidate] {
        let devices = try person(event.userID, app).devices
        let named = devices.first { $0.isNamed(event.identity.deviceID) }
        return (named.map { [$0] } ?? devices).filter { $0.token != nil }
            .map { DeliveryPlan.Candidate(deviceID: $0.deviceID, type: $0.type) }
    }

    /// Registers the device of a token that came with a webhook, but never against what an app itself has said of the device, or of the one that
    /// has the token: the help desk may know an older token, person or sign-in. No device that an app has told of leaves for it.
    func learn(_ arrival: Arrival, _ app: Int64) throws(SQLiteError) {
        let event = arrival.event
        guard let token = arrival.token, !event.identity.deviceID.isEmpty else { return }
        let devices = try person(event.userID, app).devices
        let stored = devices.first { $0.isNamed(event.identity.deviceID) }
        if let stored, stored.isFromApp || stored.digest == token.digest { return }
        if let holder = try holder(of: token, app), holder.isFromApp { return }
        if stored == nil, leaving(devices, isFromApp: false) == nil { return }
        let key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: event.identity.deviceID)
        let device = Device(
            key: key, type: StoreRules.learnedType(event, known: stored?.type), token: token, registeredAt: event.receivedAt,
            seenAt: event.receivedAt)
        try store(device, app, among: devices, isFromApp: false)
    }

    /// Does what an app wishes for its device, if it may.
    func register(_ wish: Registration) throws(SQLiteError) -> Result<Registration.Outcome, StoreError> {
        let app = try apps.number(wish.key.appID, self)
        guard let token = wish.token else { return .success(try unsubscribe(wish, app)) }
        if let refusal = whyNot() { return .failure(refusal) }
        let person = try person(wish.key.userID, app)
        let stored = person.devices.first { $0.isNamed(wish.key.deviceID) }
        let history = try history(wish, app, ofUser: person.calls)
        if let limited = try limit(wish, history) { return .success(limited) }
        if let stored, stored.token != nil, stored.digest == token.digest, stored.type.utf8.elementsEqual(wish.type.utf8) {
            try record(wish, app, history)
            try touch(wish.key, app, at: wish.now)
            return .success(.unchanged)
        }
        try record(wish, app, history)
        let device = Device(key: wish.key, type: wish.type, token: token, registeredAt: wish.now, seenAt: wish.now)
        try store(device, app, among: person.devices, isFromApp: true)
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

    /// What is known of a person, in one search: a person has few devices.
    func person(_ userID: String, _ app: Int64) throws(SQLiteError) -> StoredPerson {
        let statement = deviceStatements.ofUser
        statement.bind(app, at: 1)
        statement.bind(userID, at: 2)
        defer { statement.reset() }
        var person = StoredPerson()
        while try statement.step() { try person.add(statement) }
        return person
    }

    private func unsubscribe(_ wish: Registration, _ app: Int64) throws(SQLiteError) -> Registration.Outcome {
        guard let stored = try findDevice(app, wish.key.userID, wish.key.deviceID) else {
            let known = try person(wish.key.userID, app).devices.count
            guard StoreRules.remembersUnknown(known: known, devicesPerUser: settings.devicesPerUser) else { return .unchanged }
            try put(wish.key, wish.type, token: nil, app, registeredAt: wish.now, seenAt: wish.now, isFromApp: true)
            return .unchanged
        }
        guard stored.token != nil else {
            if StoreRules.notesSignOut(seenAt: stored.seenAt, isFromApp: stored.isFromApp, now: wish.now) {
                try touch(wish.key, app, at: wish.now)
            }
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
            if holder.userID.utf8.elementsEqual(device.key.userID.utf8) { devices = try person(holder.userID, app).devices }
        }
        if !devices.contains(where: { $0.isNamed(device.key.deviceID) }) {
            try makeRoom(among: devices, app, device.key.appID, at: device.registeredAt, isFromApp: isFromApp)
        }
        try put(
            device.key, device.type, token: device.token, app, registeredAt: device.registeredAt, seenAt: device.seenAt,
            isFromApp: isFromApp)
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

    /// Lets those of a person's devices go that are too many with one more.
    private func makeRoom(
        among devices: [StoredDevice], _ app: Int64, _ appID: String, at time: UInt64, isFromApp: Bool
    ) throws(SQLiteError) {
        for stored in leaving(devices, isFromApp: isFromApp) ?? [] {
            try remove(stored, app, appID, .tooManyDevices, at: time)
            try forget(stored, app)
        }
    }

    /// Who leaves for one device more: first those that signed out, then those not seen for longest; nil when there are not enough.
    /// - Parameter isFromApp: whether an app has told of the new one, which no other may stay for.
    private func leaving(_ devices: [StoredDevice], isFromApp: Bool) -> ArraySlice<StoredDevice>? {
        let count = devices.count - settings.devicesPerUser + 1
        guard count > 0 else { return [] }
        let order = devices.filter { isFromApp || !$0.isFromApp }
            .sorted { StoreRules.leavesFirst(($0.token == nil, $0.seenAt), ($1.token == nil, $1.seenAt)) }
        return order.count < count ? nil : order.prefix(count)
    }

    /// Forgets a device, but not what keeps its limits.
    func forget(_ stored: StoredDevice, _ app: Int64) throws(SQLiteError) {
        try deviceStatements.remove.run(app, stored.userID, stored.deviceID)
    }

    /// Notes that the app has said what the row says.
    private func touch(_ key: Device.Key, _ app: Int64, at time: UInt64) throws(SQLiteError) {
        try deviceStatements.touch.run(app, key.userID, key.deviceID, time.stored)
    }

    private func put(
        _ key: Device.Key, _ type: String, token: PushToken?, _ app: Int64, registeredAt: UInt64, seenAt: UInt64,
        isFromApp: Bool
    ) throws(SQLiteError) {
        let statement = deviceStatements.put
        statement.bind(app, at: 1)
        statement.bind(key.userID, at: 2)
        statement.bind(key.deviceID, at: 3)
        statement.bind(type, at: 4)
        if let token {
            statement.bind(token.text, at: 5)
            statement.bind(token.digest.span, at: 6)
        } else {
            statement.bindNull(at: 5)
            statement.bindNull(at: 6)
        }
        statement.bindNull(at: 7)
        statement.bind(registeredAt.stored, at: 8)
        statement.bind(seenAt.stored, at: 9)
        statement.bind(isFromApp ? 1 : 0 as Int64, at: 10)
        try statement.runBound()
    }
}
