import SQLite
import Testing

@Suite struct StatementTests {
    private let connection: Connection
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
        connection = try database.openWithItems()
    }

    @Test func `can run again with other values`() throws {
        let insert = try Statement(connection, "INSERT INTO item (id, name) VALUES (?1, ?2)")
        for id in 1...3 { try insert.run(id, "name \(id)") }
        #expect(try connection.names() == ["name 1", "name 2", "name 3"])
        #expect(connection.lastInsertRowID == 3)
        try Statement(connection, "DELETE FROM item WHERE id >= ?1").run(2)
        #expect(connection.changes == 2)
    }

    @Test func `can run again after a failure`() throws {
        let insert = try Statement(connection, "INSERT INTO item (name) VALUES (?1)")
        try insert.run("same")
        for _ in 0..<2 {
            #expect(failure { () throws(SQLiteError) in try insert.run("same") }?.isConstraint == true)
        }
        insert.bind("same", at: 1)
        #expect(failure { () throws(SQLiteError) in _ = try insert.step() }?.isConstraint == true)
        insert.bind("other", at: 1)
        #expect(try !insert.step())
        #expect(try connection.names() == ["same", "other"])
    }

    @Test func `unbinds its values at the end`() throws {
        let select = try Statement(connection, "SELECT ?1")
        try select.run(1)
        #expect(try select.step())
        #expect(select.isNull(0))
        select.reset()
        select.bind(Int64(2), at: 1)
        select.reset()
        #expect(try select.step())
        #expect(select.isNull(0))
    }

    @Test func `steps through rows and starts again`() throws {
        let select = try Statement(connection, "VALUES (1), (2)")
        for _ in 0..<2 {
            #expect(try select.step())
            #expect(try select.int64(0) == 1)
            #expect(try select.step())
            #expect(try select.int64(0) == 2)
            #expect(try !select.step())
        }
    }

    @Test func `ends the query when the body throws`() throws {
        let select = try Statement(connection, "SELECT value FROM json_each(?1)")
        var seen: [Int64] = []
        let error = failure { () throws(SQLiteError) in
            try select.forEachRow("[1, 2, \"three\", 4]") { row throws(SQLiteError) in seen.append(try row.int64(0)) }
        }
        #expect(error?.primaryCode == 20)
        #expect(seen == [1, 2])
        try select.forEachRow("[5]") { row throws(SQLiteError) in seen.append(try row.int64(0)) }
        #expect(seen == [1, 2, 5])
    }

    @Test func `a borrowed row does not block other statements`() throws {
        let insert = try Statement(connection, "INSERT INTO item (name) VALUES (?1)")
        try Statement(connection, "VALUES ('a'), ('b')").forEachRow { row throws(SQLiteError) in
            try row.withBytes(0) { bytes throws(SQLiteError) in
                insert.bind(bytes, at: 1)
                #expect(failure { () throws(SQLiteError) in _ = try insert.step() }?.isConstraint == true)
            }
            try insert.run(try row.string(0))
        }
        #expect(try connection.names() == ["a", "b"])
    }

    @Test func `stays usable when the connection is released`() throws {
        var connection: Connection? = try database.open()
        let select = try connection.map { connection throws(SQLiteError) in try Statement(connection, "SELECT 1") }
        connection = nil
        #expect(try select?.step() == true)
    }

    @Test func `reports a failed preparation`() throws {
        let error = failure { () throws(SQLiteError) in _ = try Statement(connection, "SELECT * FROM missing") }
        #expect(error?.message == "no such table: missing")
        let quoted = failure { () throws(SQLiteError) in _ = try Statement(connection, "SELECT \"no literal\"") }
        #expect(quoted?.message == "no such column: no literal")
    }
}
