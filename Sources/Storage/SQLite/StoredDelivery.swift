internal import Core
internal import SQLite

/// The position of a delivery in the file. Keys sort in the order of acceptance.
struct DeliveryKey: Sendable {
    let event: Int64
    let position: Int64
}

/// A row of the view `stories`.
struct StoredDelivery {
    let key: DeliveryKey
    let delivery: Delivery
    /// Whether the delivery is for one device only.
    let needsDevice: Bool

    init(_ row: Statement) throws(SQLiteError) {
        key = DeliveryKey(event: try row.int64(0), position: try row.int64(1))
        needsDevice = try row.int64(20) != 0
        delivery = try Delivery(row, trace: 29)
    }
}
