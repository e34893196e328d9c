internal import Core
internal import JSON

/// A device's registration, or its end, as the help desk is told of it.
struct PyrusRegistration: Sendable {
    /// The event is about no registration, or its data is not what the registry writes.
    struct Unreadable: Error, Equatable {}

    /// Which device.
    let key: Device.Key
    /// What kind of device.
    let type: String
    /// Its token; nil when it is not to be notified any more.
    let token: String?
    /// When it happened: of two registrations of a device the later counts.
    let order: PyrusOrder

    /// Reads an event.
    init(_ event: Event) throws(Unreadable) {
        guard event.kind != .commentCreated, let data = JSONValue(parsing: event.data),
            let deviceID = data["device_id"]?.text, let type = data["type"]?.text, let token = data["token"]?.text,
            !deviceID.isEmpty, !token.isEmpty
        else { throw Unreadable() }
        key = Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: deviceID)
        self.type = type
        self.token = event.kind == .pushTokenRegistered ? token : nil
        order = PyrusOrder(receivedAt: event.receivedAt, id: event.id.description)
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

/// When a registration happened; ids settle what happened within a millisecond, the same way for everybody.
struct PyrusOrder: Sendable, Comparable {
    /// In Unix milliseconds.
    let receivedAt: UInt64
    /// The event's.
    let id: String

    static func < (left: Self, right: Self) -> Bool {
        (left.receivedAt, left.id) < (right.receivedAt, right.id)
    }
}
