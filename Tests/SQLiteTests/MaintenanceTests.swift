import Glibc
import SQLite
import Testing

@Suite struct MaintenanceTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    private func fill(_ connection: Connection, rows: Int) throws {
        try connection.transaction { () throws(SQLiteError) in
            for number in 0..<rows { try connection.add(String(repeating: "\(number) ", count: 100)) }
        }
    }

    private func size(_ path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : -1
    }

    @Test(arguments: [0, 1, Int32.max, Int32.min])
    func `stores the user version`(version: Int32) throws {
        let connection = try database.open()
        #expect(try connection.userVersion() == 0)
        try connection.setUserVersion(version)
        try connection.close()
        #expect(try database.open().userVersion() == version)
    }

    @Test func `rolls the user version back`() throws {
        let connection = try database.openWithItems()
        let error = failure { () throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                try connection.setUserVersion(5)
                try connection.execute("no SQL")
            }
        }
        #expect(error != nil)
        #expect(try connection.userVersion() == 0)
    }

    @Test func `finds no damage in an intact file`() throws {
        let connection = try database.openWithItems()
        try fill(connection, rows: 100)
        #expect(try connection.integrityCheck() == [])
    }

    @Test func `finds overwritten pages`() throws {
        let connection = try database.openWithItems()
        try fill(connection, rows: 300)
        try connection.close()
        let end = size(database.path)
        database.overwrite(at: end - 5 * 4096, with: Array(repeating: 0xa5, count: 5 * 4096))
        let damaged = try database.open()
        #expect(try !damaged.integrityCheck().isEmpty)
        #expect(failure { () throws(SQLiteError) in _ = try damaged.names() }?.isCorrupt == true)
    }

    @Test func `reports a truncated file`() throws {
        let connection = try database.openWithItems()
        try fill(connection, rows: 300)
        try connection.close()
        #expect(unsafe truncate(database.path, off_t(size(database.path) / 2 / 4096 * 4096)) == 0)
        let error = failure { () throws(SQLiteError) in _ = try Connection(path: database.path, mode: .readWriteCreate) }
        #expect(error?.isCorrupt == true)
        #expect(error?.remedy?.contains(".recover") == true)
    }

    @Test func `reports a full disk`() throws {
        let connection = try database.openWithItems()
        try connection.setSizeLimit(pages: 8)
        let error = try #require(
            failure { () throws(SQLiteError) in
                try connection.transaction { () throws(SQLiteError) in
                    for number in 0..<1000 { try connection.add(String(repeating: "\(number) ", count: 100)) }
                }
            })
        #expect(error.isFull)
        #expect(error.remedy == "free space on the disk that holds the file")
        #expect(!connection.isInTransaction)
        try connection.add("fits")
        #expect(try connection.names() == ["fits"])
    }

    @Test func `empties the write-ahead log`() throws {
        let connection = try database.openWithItems()
        connection.leaveLogToCheckpoints()
        #expect(connection.loggedPages == 0)
        try fill(connection, rows: 50)
        #expect(size(database.path + "-wal") > 0)
        let logged = connection.loggedPages
        #expect(logged > 1)
        #expect(try connection.checkpoint(truncate: false) == (logged, logged))
        #expect(connection.loggedPages == 0)
        #expect(size(database.path + "-wal") > 0)
        #expect(try connection.checkpoint(truncate: true) == (0, 0))
        #expect(size(database.path + "-wal") == 0)
    }

    @Test func `keeps log pages that a reader needs`() throws {
        let connection = try database.openWithItems()
        let reader = try Connection(path: database.path, mode: .readOnly)
        let select = try Statement(reader, "SELECT count(*) FROM item UNION ALL SELECT 0")
        #expect(try select.step())
        try fill(connection, rows: 5)
        let (logged, moved) = try connection.checkpoint(truncate: false)
        #expect(moved < logged)
        #expect(failure { () throws(SQLiteError) in try connection.checkpoint(truncate: true) }?.isBusy == true)
        select.reset()
        try connection.checkpoint(truncate: true)
        #expect(size(database.path + "-wal") == 0)
    }

    @Test func `accepts every setting`() throws {
        let connection = try database.open()
        try connection.setSynchronous(.normal)
        try connection.setCacheSize(kibibytes: 512)
        try connection.setLogSizeLimit(bytes: 4096)
        #expect(try number(connection, "PRAGMA synchronous") == 1)
        #expect(try number(connection, "PRAGMA cache_size") == -512)
        #expect(try number(connection, "PRAGMA journal_size_limit") == 4096)
        #expect(try number(connection, "PRAGMA foreign_keys") == 1)
        #expect(try number(connection, "PRAGMA trusted_schema") == 0)
        try connection.setSynchronous(.full)
        #expect(try number(connection, "PRAGMA synchronous") == 2)
    }

    private func number(_ connection: Connection, _ pragma: StaticString) throws -> Int64 {
        let statement = try Statement(connection, pragma)
        #expect(try statement.step())
        return try statement.int64(0)
    }
}
