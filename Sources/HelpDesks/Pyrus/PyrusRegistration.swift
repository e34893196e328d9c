internal import Core
internal import JSON

/// The registration or removal of a device, as it is reported to the help desk.
struct PyrusRegistration: Sendable {
    /// The event is not about a registration, or its data is not in the registry's format.
    struct Problem: Error, Equatable {}

    /// The device.
    let key: Device.Key
    /// The device type.
    let type: String
    /// The token; nil for a removal.
    let token: String?

    /// Reads an event.
    init(_ event: Event) throws(Problem) {
        guard let payload = RegistryChange.Payload(event) else { throw Problem() }
        key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: payload.deviceID)
        type = payload.type
        token = event.kind == .pushTokenRegistered ? payload.token : nil
    }

    /// Whether the registry still agrees: a registration is current while the device has its token and type, a removal while the device is
    /// not registered. Otherwise a later event reports the later change.
    /// - Parameter device: the device as it is registered now; nil when it is not.
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
