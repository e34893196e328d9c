package import Core
internal import SQLite
internal import Time

/// The recorded uses of keys: a row for each key that a service has ever had in force. They are few, so each row contains the app's name.
extension SQLiteStore {
    package func record(_ uses: [KeyUse]) throws(StoreError) {
        try queue.perform { database throws(SQLiteError) in
            for use in uses {
                try database.statements.recordKeyUse.run(use.appID, Int64(use.keyID), use.since.stored, use.usedAt?.stored)
            }
        }
    }

    package func keyUses() throws(StoreError) -> [KeyUse] {
        try read(listReader) { database throws(SQLiteError) in try database.allKeyUses() }
    }
}

extension ReadingDatabase {
    /// All rows, in the order of their key.
    func allKeyUses() throws(SQLiteError) -> [KeyUse] {
        var uses: [KeyUse] = []
        try keyUses.forEachRow { row throws(SQLiteError) in
            guard let keyID = UInt32(exactly: try row.int64(1)) else { throw row.mismatch(1, "is not a key id") }
            uses.append(
                KeyUse(
                    appID: try row.string(0), keyID: keyID, since: try row.time(2),
                    usedAt: try row.optionalInt64(3).map { UnixMilliseconds(rawValue: UInt64(clamping: $0)) }))
        }
        return uses
    }
}
