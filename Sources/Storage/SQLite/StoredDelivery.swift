internal import Core
internal import SQLite

/// The place of a delivery in the file. Keys sort in the order of acceptance.
struct DeliveryKey: Sendable {
    let event: Int64
    let position: Int64
}

/// A row of the view `stories`.
struct StoredDelivery {
    let key: DeliveryKey
    let delivery: Delivery
    /// Whether it is made for a device only.
    let needsDevice: Bool

    init(_ row: Statement) throws(SQLiteError) {
        key = DeliveryKey(event: try row.int64(0), position: try row.int64(1))
        needsDevice = try row.int64(20) != 0
        let event = try Self.event(row)
        delivery = Delivery(
            id: event.id.delivery(Int(key.position)), notifier: try row.string(3), event: event, deviceID: try row.optionalString(21),
            device: row.isNull(22) ? nil : try Self.device(row, event), state: try row.state(4), attempts: Int(try row.int64(5)),
            dueAt: try row.time(6), endedAt: row.isNull(7) ? nil : try row.time(7), reason: try row.string(8))
    }

    private static func event(_ row: Statement) throws(SQLiteError) -> Event {
        guard let kind = Event.Kind(rawValue: try row.string(10)) else { try row.refuse(10) }
        let identity = Event.Identity(
            appID: try row.string(11), ticketID: try row.helpDeskID(12), commentID: try row.helpDeskID(13),
            deviceID: try row.string(14))
        return Event(
            id: try row.uuid(2), kind: kind, identity: identity, userID: try row.string(16), deviceType: try row.optionalString(15),
            occurredAt: try row.time(17), receivedAt: try row.time(18), expiresAt: try row.time(9), data: try row.bytes(19),
            trace: try row.optionalBytes(29).flatMap { TraceContext(bytes: $0) })
    }

    private static func device(_ row: Statement, _ event: Event) throws(SQLiteError) -> Device {
        Device(
            key: Device.Key(appID: event.identity.appID, userID: event.userID, deviceID: try row.string(21)), type: try row.string(22),
            token: PushToken(try row.string(23), digest: try row.bytes(24)), environment: try row.optionalString(25),
            registeredAt: try row.time(26), seenAt: try row.time(27))
    }
}
