internal import Core
internal import Time

/// The rows of devices and calls in a memory store. `RegistryTransition` decides what changes.
struct MemoryDevices: RegistryRows {
    private var devices: [Device.Key: RegistryDevice] = [:]
    /// The key of a person's calls has an empty device; the key of a device's calls has an empty person.
    private var userCalls: [Device.Key: (times: CallTimes, at: UnixMilliseconds)] = [:]
    private var deviceCalls: [Device.Key: (times: CallTimes, at: UnixMilliseconds)] = [:]
    private var series: [CallSeries: [Int64: UnixMilliseconds]] = [:]
    var revocations = Revocations.none

    func device(_ key: Device.Key) -> RegistryDevice? { devices[key] }

    func person(appID: String, userID: String) -> RegistryPerson {
        let calls = userCalls[Self.user(appID, userID)]?.times ?? CallTimes()
        return RegistryPerson(devices: devices(DeviceFilter(appID: appID, userID: userID)), calls: calls)
    }

    func holder(of token: PushToken, appID: String) -> RegistryDevice? {
        let filter = DeviceFilter(appID: appID)
        return devices.values.first { $0.token == token && filter.matches($0.key) }
    }

    func calls(ofDevice key: Device.Key) -> CallTimes { deviceCalls[Self.device(key)]?.times ?? CallTimes() }

    func lastCall(in series: CallSeries) -> Int64 { self.series[series]?.keys.max() ?? 0 }

    func time(ofCall number: Int64, in series: CallSeries) -> UnixMilliseconds? { self.series[series]?[number] }

    func revocations(appID: String, userID: String) -> Revocations { revocations }

    /// Returns the matching devices, tombstones included, sorted by key.
    func devices(_ filter: DeviceFilter) -> [RegistryDevice] {
        devices.values.filter { filter.matches($0.key) }.sorted { $0.key < $1.key }
    }

    /// Returns the matching registered devices of all apps, sorted by key.
    func registered(where matches: (Device.Key) -> Bool) -> [Device] {
        devices.values.filter { matches($0.key) }.compactMap(\.device).sorted { $0.key < $1.key }
    }

    /// Returns the devices last seen before a time, tombstones included, oldest activity first.
    func idle(seenBefore time: UnixMilliseconds) -> [RegistryDevice] {
        devices.values.filter { $0.seenAt < time }.sorted { $0.seenAt == $1.seenAt ? $0.key < $1.key : $0.seenAt < $1.seenAt }
    }

    /// Deletes the calls of persons and devices whose last call was recorded before a time.
    mutating func forgetCalls(recordedBefore time: UnixMilliseconds) {
        userCalls = userCalls.filter { $0.value.at >= time }
        deviceCalls = deviceCalls.filter { $0.value.at >= time }
    }

    /// Applies a change to the rows.
    /// - Returns: the change, if it must be announced; nil if it changed the rows.
    mutating func apply(_ change: RegistryTransition.Change) -> RegistryChange? {
        switch change {
        case .put(let device): devices[device.key] = device
        case .touch(let key, let time, let claims): devices[key]?.touch(at: time, claims)
        case .signOut(let key, let time, let isReportedByApp): devices[key]?.signOut(at: time, isReportedByApp: isReportedByApp)
        case .setEnvironment(let key, let name): devices[key]?.environment = name
        case .forget(let key): devices[key] = nil
        case .putUserCalls(let key, let times, let time): userCalls[Self.user(key.appID, key.userID)] = (times, time)
        case .putDeviceCalls(let key, let times, let time): deviceCalls[Self.device(key)] = (times, time)
        case .insertCall(let series, let number, let time): self.series[series, default: [:]][number] = time
        case .forgetCalls(let series, let last): self.series[series] = self.series[series]?.filter { $0.key > last }
        case .forgetDeviceCalls(let key): deviceCalls[Self.device(key)] = nil
        case .forgetUserCalls(let appID, let userID): userCalls[Self.user(appID, userID)] = nil
        case .announce(let change): return change
        }
        return nil
    }

    private static func user(_ appID: String, _ userID: String) -> Device.Key {
        Device.Key(appID: appID, userID: userID, deviceID: "")
    }

    private static func device(_ key: Device.Key) -> Device.Key {
        Device.Key(appID: key.appID, userID: "", deviceID: key.deviceID)
    }
}
