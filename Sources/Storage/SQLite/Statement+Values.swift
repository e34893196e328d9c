internal import Core
internal import SQLite
internal import Time

extension Statement {
    /// Reads an id.
    func uuid(_ column: Int) throws(SQLiteError) -> UUIDv7 {
        let id = try withBytes(column) { bytes throws(SQLiteError) in UUIDv7(bytes: bytes) }
        guard let id else { try refuse(column) }
        return id
    }

    /// Reads an identity of the help desk; nil for NULL.
    func helpDeskID(_ column: Int) throws(SQLiteError) -> HelpDeskID? {
        guard let text = try optionalString(column) else { return nil }
        guard let id = HelpDeskID(text) else { try refuse(column) }
        return id
    }

    /// Reads a time.
    func time(_ column: Int) throws(SQLiteError) -> UnixMilliseconds { UnixMilliseconds(rawValue: try duration(column)) }

    /// Reads a length of time, in milliseconds.
    func duration(_ column: Int) throws(SQLiteError) -> UInt64 { UInt64(clamping: try int64(column)) }

    /// Reads a delivery's state.
    func state(_ column: Int) throws(SQLiteError) -> Delivery.State {
        let number = try int64(column)
        guard let state = Delivery.State.allCases.first(where: { $0.number == number }) else { try refuse(column) }
        return state
    }

    /// Throws SQLITE_MISMATCH for a value that has the right type but that this program never writes.
    func refuse(_ column: Int) throws(SQLiteError) -> Never {
        // No value is both text and a number, so one of these throws and names the column.
        _ = (try string(column), try int64(column))
        preconditionFailure("the column holds text and a number")
    }
}

extension Delivery.State {
    /// The number that stands for the state in the file.
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
