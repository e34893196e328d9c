import SQLite
import Testing

@Suite struct TransactionTests {
    private let database: TestDatabase
    private let connection: Connection

    init() throws {
        database = try TestDatabase()
        connection = try database.openWithItems()
    }

    @Test func `a transaction commits its changes`() throws {
        let result = try connection.transaction { () throws(SQLiteError) in
            try connection.add("a")
            #expect(connection.isInTransaction)
            return 7
        }
        #expect(result == 7)
        #expect(!connection.isInTransaction)
        try connection.close()
        #expect(try database.open().names() == ["a"])
    }

    @Test func `rolls back when the body throws`() throws {
        let error = failure { () throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                try connection.add("a")
                try connection.add("a")
            }
        }
        #expect(error?.isConstraint == true)
        #expect(!connection.isInTransaction)
        #expect(try connection.names() == [])
    }

    @Test func `rolls back when the commit fails`() throws {
        try connection.execute("CREATE TABLE part (item INTEGER REFERENCES item DEFERRABLE INITIALLY DEFERRED)")
        let error = failure { () throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                try connection.add("a")
                try connection.execute("INSERT INTO part VALUES (99)")
            }
        }
        #expect(error?.message == "FOREIGN KEY constraint failed")
        #expect(!connection.isInTransaction)
        #expect(try connection.names() == [])
    }

    @Test func `commits nothing after SQLite has rolled back`() throws {
        let rollback = try Statement(connection, "INSERT OR ROLLBACK INTO item (name) VALUES ('a')")
        var later: [SQLiteError?] = []
        let error = failure { () throws(SQLiteError) in
            try connection.transaction { () throws(SQLiteError) in
                try connection.add("a")
                #expect(failure { () throws(SQLiteError) in try rollback.run() }?.isConstraint == true)
                later.append(failure { () throws(SQLiteError) in try connection.add("b") })
                later.append(failure { () throws(SQLiteError) in try connection.execute("INSERT INTO item (name) VALUES ('c')") })
            }
        }
        let rolledBack: Int32 = 516
        #expect(later.map { $0?.extendedCode } == [rolledBack, rolledBack])
        #expect(error?.extendedCode == rolledBack)
        #expect(try connection.names() == [])
        try connection.transaction { () throws(SQLiteError) in try connection.add("d") }
        #expect(try connection.names() == ["d"])
    }
}
