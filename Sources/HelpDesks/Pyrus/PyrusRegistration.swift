internal import Core
internal import JSON

/// A device's registration, or its end, as the help desk is told of it.
struct PyrusRegistration: Sendable {
    /// The event is about no registration, or its data is not what the registry writes.
    struct Problem: Error, Equatable {}

    /// Which device.
    let key: Device.Key
    /// What kind of device.
    let type: String
    /// Its token; nil when it is not to be notified any more.
    let token: String?

    /// Reads an event.
    init(_ event: Event) throws(Problem) {
        guard let payload = RegistryChange.Payload(event) else { throw Problem() }
        key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: payload.deviceID)
        type = payload.type
        token = event.kind == .pushTokenRegistered ? payload.token : nil
    }

    /// Whether the registry still says so: a registration holds while the device has its token and type, an end while the device is not
    /// registered. What holds no more has another event that tells of the change.
    /// - Parameter device: as it is registered now; nil when it is not.
    func holds(for device: Device?) -> Bool {
        guard let token, let device else { return token == nil && device == nil }
        return token.utf8.elementsEqual(device.token.text.utf8) && type.utf8.elementsEqual(device.type.utf8)
    }

    /// The body that the help desk's own SDK sends.
    func body(securityKey: String) -> [UInt8] {
        let body: JSONValue = [
            "app_id": .string(key.appID), "user_id": .string(key.userID), "security_key": .string(securityKey),
            "instance_id": .string(key.deviceID), "version": 2, "token": token.map { .string($0) } ?? .null, "type": .string(type),
        ]
        return body.serialized()
    }
}
