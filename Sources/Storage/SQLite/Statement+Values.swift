internal import Core
internal import SQLite
internal import Time

extension Statement {
    func uuidv7(_ column: Int) throws(SQLiteError) -> UUIDv7 {
        let id = try withBytes(column) { bytes throws(SQLiteError) in UUIDv7(bytes: bytes) }
        guard let id else { throw mismatch(column, "is not a UUID of version 7") }
        return id
    }

    /// Reads a duration in milliseconds.
    func duration(_ column: Int) throws(SQLiteError) -> UInt64 { UInt64(clamping: try int64(column)) }
}

extension Delivery.State {
    /// The state's number in the file.
    var number: Int {
        switch self {
        case .pending: 0
        case .delivered: 1
        case .dead: 2
        case .noTarget: 3
        }
    }
}

extension UnixMilliseconds {
    /// The moment as a signed integer of SQLite; clamped, beyond the year 292,000,000.
    var stored: Int64 { rawValue.stored }
}

extension UInt64 {
    /// The value as a signed integer of SQLite, clamped.
    var stored: Int64 { Int64(clamping: self) }
}
