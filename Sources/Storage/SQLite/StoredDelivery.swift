internal import Core
internal import SQLite

/// Where a delivery stands in the file: the order of these is the order of acceptance.
struct DeliveryKey: Sendable {
    let event: Int64
    let position: Int64
}

/// A row of the view `stories`.
struct StoredDelivery {
    let key: DeliveryKey
    let delivery: Delivery

    init(_ row: Statement) throws(SQLiteError) {
        key = DeliveryKey(event: try row.int64(0), position: try row.int64(1))
        delivery = Delivery(
            id: try row.uuid(2), notifier: try row.string(3), event: try Self.event(row), state: try row.state(4),
            attempts: Int(try row.int64(5)), dueAt: try row.time(6), endedAt: row.isNull(7) ? nil : try row.time(7),
            reason: try row.string(8))
    }

    private static func event(_ row: Statement) throws(SQLiteError) -> Event {
        guard let kind = Event.Kind(rawValue: try row.string(11)) else { try row.refuseText(11) }
        let identity = Event.Identity(
            appID: try row.string(12), ticketID: try row.int64(13), commentID: try row.int64(14), deviceID: try row.string(15))
        return Event(
            id: try row.uuid(10), kind: kind, identity: identity, userID: try row.string(16), occurredAt: try row.time(17),
            receivedAt: try row.time(18), expiresAt: try row.time(9), payload: try row.bytes(19))
    }
}
