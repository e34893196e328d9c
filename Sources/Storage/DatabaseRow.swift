internal import Core
internal import Postgres
internal import SQLite
internal import Time

/// A row of SQLite or PostgreSQL, for the readers that both stores share. Columns are numbered from 0.
protocol DatabaseRow {
    associatedtype Failure: Error

    func isNull(_ column: Int) -> Bool
    /// Reads a number that is a 4-byte integer in PostgreSQL.
    func int(_ column: Int) throws(Failure) -> Int
    func int64(_ column: Int) throws(Failure) -> Int64
    func optionalInt64(_ column: Int) throws(Failure) -> Int64?
    /// Reads text that may contain U+0000.
    func stored(_ column: Int) throws(Failure) -> String
    func optionalStored(_ column: Int) throws(Failure) -> String?
    func bytes(_ column: Int) throws(Failure) -> [UInt8]
    func optionalBytes(_ column: Int) throws(Failure) -> [UInt8]?
    func uuidv7(_ column: Int) throws(Failure) -> UUIDv7
    /// Returns the error for a value that has the correct type, but that this program never writes.
    func mismatch(_ column: Int, _ problem: String) -> Failure
}

extension DatabaseRow {
    func time(_ column: Int) throws(Failure) -> UnixMilliseconds { UnixMilliseconds(rawValue: UInt64(clamping: try int64(column))) }

    /// Reads a moment; nil for NULL.
    func optionalTime(_ column: Int) throws(Failure) -> UnixMilliseconds? { isNull(column) ? nil : try time(column) }

    func state(_ column: Int) throws(Failure) -> Delivery.State {
        let number = try int(column)
        guard let state = Delivery.State.allCases.first(where: { $0.number == number }) else {
            throw mismatch(column, "is not a state of a delivery")
        }
        return state
    }

    /// Reads an identifier of the help desk; nil for NULL.
    func helpDeskID(_ column: Int) throws(Failure) -> HelpDeskID? {
        guard let text = try optionalStored(column) else { return nil }
        guard let id = HelpDeskID(text) else { throw mismatch(column, "is not an identifier of a help desk") }
        return id
    }
}

extension Row: DatabaseRow {
    func int(_ column: Int) throws(PostgresError) -> Int { Int(try int32(column)) }
}

extension Statement: DatabaseRow {
    func int(_ column: Int) throws(SQLiteError) -> Int { Int(try int64(column)) }
    func stored(_ column: Int) throws(SQLiteError) -> String { try string(column) }
    func optionalStored(_ column: Int) throws(SQLiteError) -> String? { try optionalString(column) }
}
