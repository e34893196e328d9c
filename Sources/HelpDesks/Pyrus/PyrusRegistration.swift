internal import Core
internal import JSON

struct PyrusRegistration: Sendable {
    let key: Device.Key
    let type: String
    /// Nil for a removal.
    let token: String?

    init(_ change: RegistryChange.Payload, of event: Event) {
        key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: change.deviceID)
        type = change.token.type
        token = change.isRemoval ? nil : change.token.text
    }

    func body(securityKey: String) -> [UInt8] {
        let body: JSONValue = [
            "app_id": .string(key.appID), "user_id": .string(key.userID), "security_key": .string(securityKey),
            "instance_id": .string(key.deviceID), "version": 2, "token": token.map { .string($0) } ?? .null, "type": .string(type),
        ]
        return body.serialized()
    }
}
