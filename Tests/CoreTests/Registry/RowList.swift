import Core
import Time

/// Passive rows that apply the transition's changes and count the searches.
final class RowList: RegistryRows {
    private(set) var devices: [Device.Key: RegistryDevice] = [:]
    private(set) var reported: [String] = []
    /// The revocations in force; a store has them in memory, so they need no search.
    var revocations = Revocations.none
    var searches: [String] = []
    private var userCalls: [Device.Key: CallTimes] = [:]
    private var deviceCalls: [Device.Key: CallTimes] = [:]
    private(set) var series: [CallSeries: [Int64: UnixMilliseconds]] = [:]

    func device(_ key: Device.Key) -> RegistryDevice? {
        searches.append("device")
        return devices[key]
    }

    func person(appID: String, userID: String) -> RegistryPerson {
        searches.append("person")
        let devices = devices.values.filter { $0.key.appID == appID && $0.key.userID == userID }.sorted { $0.key < $1.key }
        return RegistryPerson(devices: devices, calls: userCalls[Self.user(appID, userID)] ?? CallTimes())
    }

    func holder(of token: PushToken, appID: String) -> RegistryDevice? {
        searches.append("holder")
        return devices.values.first { $0.key.appID == appID && $0.token == token }
    }

    func calls(ofDevice key: Device.Key) -> CallTimes {
        searches.append("calls")
        return deviceCalls[Self.device(key)] ?? CallTimes()
    }

    func lastCall(in series: CallSeries) -> Int64 {
        searches.append("last")
        return self.series[series]?.keys.max() ?? 0
    }

    func time(ofCall number: Int64, in series: CallSeries) -> UnixMilliseconds? {
        searches.append("time")
        return self.series[series]?[number]
    }

    func revocations(appID: String, userID: String) -> Revocations { revocations }

    func apply(_ changes: [RegistryTransition.Change]) {
        for change in changes {
            switch change {
            case .put(let device): devices[device.key] = device
            case .touch(let key, let time, let claims): devices[key]?.touch(at: time, claims)
            case .signOut(let key, let time, let isReportedByApp): devices[key]?.signOut(at: time, isReportedByApp: isReportedByApp)
            case .setEnvironment(let key, let name): devices[key]?.environment = name
            case .forget(let key): devices[key] = nil
            case .putUserCalls(let key, let times, _): userCalls[Self.user(key.appID, key.userID)] = times
            case .putDeviceCalls(let key, let times, _): deviceCalls[Self.device(key)] = times
            case .insertCall(let series, let number, let time): self.series[series, default: [:]][number] = time
            case .forgetCalls(let series, let last): self.series[series] = self.series[series]?.filter { $0.key > last }
            case .forgetDeviceCalls(let key): deviceCalls[Self.device(key)] = nil
            case .forgetUserCalls(let appID, let userID): userCalls[Self.user(appID, userID)] = nil
            case .announce(let change): reported.append(Self.text(change))
            }
        }
    }

    private static func text(_ change: RegistryChange) -> String {
        let (device, key) = (change.device, change.device.key)
        let word = if case .removed(let reason) = change.kind { reason.rawValue } else { "registered" }
        return "\(word) \(key.appID) \(key.userID) \(key.deviceID) \(device.type) \(device.token.text) \(change.at)"
    }

    private static func user(_ appID: String, _ userID: String) -> Device.Key { Device.Key(appID: appID, userID: userID, deviceID: "-") }

    private static func device(_ key: Device.Key) -> Device.Key { Device.Key(appID: key.appID, userID: "-", deviceID: key.deviceID) }
}
