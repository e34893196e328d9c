internal import Core
internal import SQLite

/// A cache of the apps' numbers in the file. There are few apps.
struct AppNumbers {
    private var known: [ByteKey: Int64] = [:]

    /// The number of an app, created when it is new.
    mutating func number(_ appID: String, _ database: WritingDatabase) throws(SQLiteError) -> Int64 {
        if let number = try find(appID, database) { return number }
        try database.statements.insertApp.run(appID)
        let number = database.lastInsertedRow
        known[ByteKey(appID)] = number
        return number
    }

    /// The number of an app; nil when the file does not have the app.
    mutating func find(_ appID: String, _ database: WritingDatabase) throws(SQLiteError) -> Int64? {
        let key = ByteKey(appID)
        if let number = known[key] { return number }
        var found: Int64?
        try database.statements.findApp.forEachRow(appID) { row throws(SQLiteError) in found = try row.int64(0) }
        if let found { known[key] = found }
        return found
    }
}
