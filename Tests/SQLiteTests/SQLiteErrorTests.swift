import SQLite
import Testing

@Suite struct SQLiteErrorTests {
    private let connection: Connection
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
        connection = try database.openWithItems()
    }

    @Test(
        arguments: [
            ("INSERT INTO item (name) VALUES (NULL)", 1299, "NOT NULL constraint failed: item.name"),
            ("INSERT INTO item (name) VALUES ('a'), ('a')", 2067, "UNIQUE constraint failed: item.name"),
            ("INSERT INTO item VALUES (1, 'a'), (1, 'b')", 1555, "UNIQUE constraint failed: item.id"),
            ("INSERT INTO item (name) VALUES (x'00')", 3091, "cannot store BLOB value in TEXT column item.name"),
        ] as [(StaticString, Int32, String)])
    func `classifies constraints`(sql: StaticString, code: Int32, message: String) throws {
        let error = try #require(failure { () throws(SQLiteError) in try connection.execute(sql) })
        #expect(error.isConstraint)
        #expect(error.primaryCode == 19)
        #expect(error.extendedCode == code)
        #expect(error.message == message)
        #expect(error.description == "\(message) (SQLite code \(code))")
        let others = [error.isBusy, error.isFull, error.isReadOnly, error.isCorrupt, error.isCannotOpen, error.isIOError]
        #expect(!others.contains(true))
        #expect(error.remedy == nil)
    }

    @Test func `quotes no bound value`() throws {
        let statements: [StaticString] = ["SELECT json_extract('{}', ?1)", "INSERT INTO item (id, name) VALUES (?1, 'a')"]
        for sql in statements {
            let statement = try Statement(connection, sql)
            let error = try #require(failure { () throws(SQLiteError) in try statement.run("confidential") })
            #expect(!error.description.contains("confidential"))
        }
    }

    @Test func `keeps the message without bound values`() {
        let error = failure { () throws(SQLiteError) in try Statement(connection, "SELECT abs(-9223372036854775808)").run() }
        #expect(error?.message == "integer overflow")
    }
}
