internal import Core
internal import JSON
internal import Storage

/// Makes the events that tell other systems of changes in the registry.
struct RegistryEvents: Sendable {
    /// Whom the events of an app go to, as it is configured when they are made.
    let subscriptions: @Sendable (_ appID: String) -> [Subscription]
    /// How long after a change it is told of.
    let lifeMilliseconds: UInt64

    /// For a store.
    var announcer: RegistryAnnouncer {
        { change in arrival(of: change) }
    }

    private func arrival(of change: RegistryChange) -> Arrival? {
        let (device, key) = (change.device, change.device.key)
        let subscriptions = subscriptions(key.appID)
        // Most apps tell nobody.
        guard !subscriptions.isEmpty else { return nil }
        // Each word is a system call.
        var generator = SystemRandomNumberGenerator()
        let (low, high) = (generator.next(), generator.next())
        let id = UUIDv7(
            milliseconds: change.at, random: InlineArray { UInt8(truncatingIfNeeded: $0 < 8 ? low >> (8 * $0) : high >> (8 * ($0 - 8))) }
        ).event
        let kind: Event.Kind = change.kind == .registered ? .pushTokenRegistered : .pushTokenRemoved
        let event = Event(
            id: id, kind: kind, identity: Event.Identity(appID: key.appID, ticketID: nil, commentID: nil, deviceID: key.deviceID),
            userID: key.userID, deviceType: device.type, occurredAt: change.at, receivedAt: change.at,
            expiresAt: change.at + lifeMilliseconds, data: data(of: change))
        return Arrival(event, to: subscriptions)
    }

    private func data(of change: RegistryChange) -> [UInt8] {
        let device = change.device
        var data: [(String, JSONValue)] = [
            ("device_id", .string(device.key.deviceID)), ("type", .string(device.type)), ("token", .string(device.token.text)),
        ]
        if case .removed(let reason) = change.kind { data.append(("reason", .string(reason.rawValue))) }
        return JSONValue.object(JSONObject(data)).serialized()
    }
}
