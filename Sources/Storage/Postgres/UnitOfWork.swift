internal import Core
internal import Postgres
internal import Time

/// The rows that one transaction has locked and read, and its pending changes: rules read and change it like the complete tables, and
/// `flush` writes the changes with one statement per table.
///
/// A batch reads all its rows in advance (`UnitOfWork+Load`), so that the rules cost no round trip. Further rows are read one by one.
final class UnitOfWork {
    /// A person of an app, by the app's number.
    struct PersonKey: Hashable, Comparable {
        let app: Int32
        let userID: ByteKey

        static func < (left: Self, right: Self) -> Bool { (left.app, left.userID) < (right.app, right.userID) }
    }

    /// A token of an app, by its digest.
    struct TokenKey: Hashable {
        let app: Int32
        let digest: [UInt8]
    }

    /// The numbered calls of an app, or of the service with app 0.
    struct Window {
        var last: Int64
        var times: [Int64: UnixMilliseconds]
    }

    let session: PostgresSession
    let settings: StoreSettings
    var persons: [PersonKey: RegistryPerson] = [:]
    /// The holder of each token. A token without a holder is absent from a batch's own tokens, and read otherwise.
    var holders: [TokenKey: PersonKey?] = [:]
    /// The last committed change of the revocations at the time when persons were last locked. The query comes after the lock. A revocation
    /// of a person writes its row first, and then locks the person until the commit. So of a registration and a sign-out, one sees the
    /// other's change.
    var revocationVersion: Int64 = 0
    /// The revocations of that version or a later one; nil before the first read.
    var revocations: Revocations?
    var deviceCalls: [Int64: CallTimes] = [:]
    var windows: [Int32: Window] = [:]

    var changedDevices: Set<Device.Key> = []
    /// The token digests in the database of the devices that were read: a digest that changes is first removed from its row, because two
    /// devices may exchange their tokens.
    var storedDigests: [Device.Key: [UInt8]] = [:]
    var changedPersons: [PersonKey: UnixMilliseconds?] = [:]
    /// Whether rows of `persons` were inserted for incoming data, which may be about a forgotten person.
    var removesForgottenPersons = false
    var changedDeviceCalls: [Int64: UnixMilliseconds?] = [:]
    var newCalls: [(app: Int32, number: Int64, at: UnixMilliseconds)] = []
    var forgottenCalls: [Int32: Int64] = [:]

    init(_ session: PostgresSession, settings: StoreSettings) {
        self.session = session
        self.settings = settings
    }

    func number(_ appID: String) throws(PostgresError) -> Int32 { try session.number(ofApp: appID) }

    func key(_ appID: String, _ userID: String) throws(PostgresError) -> PersonKey {
        PersonKey(app: try number(appID), userID: ByteKey(userID))
    }
}

extension UnitOfWork: RegistryRows {
    func device(_ key: Device.Key) throws(PostgresError) -> RegistryDevice? {
        let devices = try person(appID: key.appID, userID: key.userID).devices
        return devices.index(of: key).map { devices[$0] }
    }

    func person(appID: String, userID: String) throws(PostgresError) -> RegistryPerson {
        let key = try key(appID, userID)
        if persons[key] == nil { try load(persons: [key]) }
        return persons[key] ?? RegistryPerson()
    }

    func holder(of token: PushToken, appID: String) throws(PostgresError) -> RegistryDevice? {
        let key = TokenKey(app: try number(appID), digest: token.digest)
        if holders[key] == nil { try load(holders: [key]) }
        guard case let holder?? = holders[key] else { return nil }
        return persons[holder]?.devices.first { $0.token != nil && $0.digest == token.digest }
    }

    func calls(ofDevice key: Device.Key) throws(PostgresError) -> CallTimes {
        let number = StoreRules.deviceNumber(key)
        if deviceCalls[number] == nil { try load(deviceCalls: [number]) }
        return deviceCalls[number] ?? CallTimes()
    }

    func lastCall(in series: CallSeries) throws(PostgresError) -> Int64 { try window(series).last }

    func time(ofCall number: Int64, in series: CallSeries) throws(PostgresError) -> UnixMilliseconds? {
        if let time = try window(series).times[number] { return time }
        return try session.time(ofCall: number, app: try self.number(series))
    }

    func revocations(appID: String, userID: String) throws(PostgresError) -> Revocations {
        let key = try key(appID, userID)
        if persons[key] == nil { try load(persons: [key]) }
        if let revocations { return revocations }
        let known = try session.revocations(asOf: revocationVersion)
        revocations = known
        return known
    }

    private func window(_ series: CallSeries) throws(PostgresError) -> Window {
        let app = try number(series)
        if let window = windows[app] { return window }
        try load(windows: [app])
        return windows[app] ?? Window(last: 0, times: [:])
    }

    private func number(_ series: CallSeries) throws(PostgresError) -> Int32 {
        switch series {
        case .app(let appID): try number(appID.text)
        case .service: 0
        }
    }
}

extension UnitOfWork {
    /// Applies a change.
    /// - Returns: the change that needs an event instead of a row.
    func apply(_ change: RegistryTransition.Change) throws(PostgresError) -> RegistryChange? {
        switch change {
        case .put(let device): try put(device)
        case .touch(let key, let time, let claims): try update(key) { $0.touch(at: time, claims) }
        case .signOut(let key, let time, let isReportedByApp): try update(key) { $0.signOut(at: time, isReportedByApp: isReportedByApp) }
        case .setEnvironment(let key, let name): try update(key) { $0.environment = name }
        case .forget(let key): try forget(key)
        case .putUserCalls(let key, let times, let time): try put(times, of: try self.key(key.appID, key.userID), at: time)
        case .forgetUserCalls(let appID, let userID): try put(CallTimes(), of: try key(appID, userID), at: nil)
        case .putDeviceCalls(let key, let times, let time):
            deviceCalls[StoreRules.deviceNumber(key)] = times
            changedDeviceCalls[StoreRules.deviceNumber(key)] = time
        case .forgetDeviceCalls(let key):
            deviceCalls[StoreRules.deviceNumber(key)] = CallTimes()
            changedDeviceCalls[StoreRules.deviceNumber(key)] = .some(nil)
        case .insertCall(let series, let number, let time):
            let app = try self.number(series)
            windows[app, default: Window(last: 0, times: [:])].last = number
            windows[app]?.times[number] = time
            newCalls.append((app, number, time))
        case .forgetCalls(let series, let last): forgottenCalls[try number(series)] = last
        case .announce(let change): return change
        }
        return nil
    }

    private func put(_ device: RegistryDevice) throws(PostgresError) {
        let key = try key(device.key.appID, device.key.userID)
        var person = try person(appID: device.key.appID, userID: device.key.userID)
        if let index = person.devices.index(of: device.key) {
            person.devices[index] = device
        } else {
            person.devices.insert(device, at: person.devices.place(of: device.key))
        }
        persons[key] = person
        if device.token != nil, let digest = device.digest { holders[TokenKey(app: key.app, digest: digest)] = key }
        changedDevices.insert(device.key)
    }

    private func update(_ device: Device.Key, _ body: (inout RegistryDevice) -> Void) throws(PostgresError) {
        let key = try key(device.appID, device.userID)
        guard let index = try person(appID: device.appID, userID: device.userID).devices.index(of: device) else { return }
        if var changed = persons[key]?.devices[index] {
            let token = changed.token
            body(&changed)
            persons[key]?.devices[index] = changed
            // Another device of the person may have a tombstone's token.
            if changed.token == nil, let digest = token?.digest { release(TokenKey(app: key.app, digest: digest), of: key) }
        }
        changedDevices.insert(device)
    }

    private func forget(_ device: Device.Key) throws(PostgresError) {
        let key = try key(device.appID, device.userID)
        guard let index = try person(appID: device.appID, userID: device.userID).devices.index(of: device),
            let known = persons[key]?.devices.remove(at: index)
        else { return }
        if known.token != nil, let digest = known.digest { release(TokenKey(app: key.app, digest: digest), of: key) }
        changedDevices.insert(device)
    }

    /// Records that a token has no holder, unless another person has it now.
    private func release(_ token: TokenKey, of person: PersonKey) {
        if case .some(.some(person)) = holders[token] { holders[token] = .some(nil) }
    }

    private func put(_ times: CallTimes, of person: PersonKey, at time: UnixMilliseconds?) throws(PostgresError) {
        if persons[person] == nil { try load(persons: [person]) }
        persons[person, default: RegistryPerson()].calls = times
        changedPersons[person] = .some(time)
    }
}

/// Binary search among a person's devices; during the transaction the server waits and holds locks, so it must be fast.
extension [RegistryDevice] {
    /// Returns the position of a device; nil when it is missing.
    fileprivate func index(of key: Device.Key) -> Int? {
        let place = place(of: key)
        return place < count && self[place].key == key ? place : nil
    }

    /// Returns the position of a device, or its insertion point in the order of the names' bytes.
    fileprivate func place(of key: Device.Key) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
