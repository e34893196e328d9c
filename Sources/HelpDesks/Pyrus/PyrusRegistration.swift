internal import Core
internal import JSON

/// The registration or removal of a device, as it is reported to the help desk.
struct PyrusRegistration: Sendable {
    let key: Device.Key
    let type: String
    /// The token; nil for a removal.
    let token: String?

    /// Translates a change of the registry.
    init(_ change: RegistryChange.Payload, of event: Event) {
        key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: change.deviceID)
        type = change.token.type
        token = change.isRemoval ? nil : change.token.text
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
