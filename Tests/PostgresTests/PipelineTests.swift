import Postgres
import TestSupport
import Testing

@Suite struct PipelineTests {
    @Test(arguments: [true, false])
    func `returns results in order`(isPreparing: Bool) throws {
        let connection = try connect(preparing: isPreparing)
        for round in 0..<3 {
            let queries = (0..<50).map { Query("SELECT $1 + 1", .int8(Int64($0 + round))) }
            let rows = try connection.pipeline(queries, by: .deferrable)
            #expect(try rows.map { rows throws in try rows[0].int64(0) } == (0..<50).map { Int64($0 + round + 1) })
        }
        let prepared = try connection.number("SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT $1 + 1'")
        #expect(prepared == (isPreparing ? 1 : 0))
    }

    @Test func `sends more than socket buffers hold`() throws {
        let connection = try connect()
        let megabyte = [UInt8](repeating: 7, count: 1 << 20)
        let queries = (0..<12).map { _ in Query("SELECT $1, $1", .bytea(megabyte)) }
        let rows = try connection.pipeline(queries, by: .deferrable)
        #expect(try rows.map { rows throws in try rows[0].bytes(1).count } == Array(repeating: 1 << 20, count: 12))
    }

    @Test(arguments: [true, false])
    func `is one transaction`(isPreparing: Bool) throws {
        let connection = try connect(preparing: isPreparing)
        try connection.run("CREATE TEMPORARY TABLE item (id int8 PRIMARY KEY)")
        let insert = { (id: Int64) in Query("INSERT INTO item VALUES ($1)", .int8(id)) }
        let error = failure { () throws(PostgresError) in
            try connection.pipeline([insert(1), insert(2), insert(2), insert(3), Query("SELECT 'never prepared'")], by: .deferrable)
        }
        #expect(error?.isUniqueViolation == true)
        #expect(error?.constraint == "item_pkey")
        #expect(error?.queryIndex == 2)
        #expect(error?.commitIsInDoubt == false)
        #expect(error?.isRetryable == false)
        #expect(try connection.number("SELECT count(*) FROM item") == 0)
        #expect(try connection.run("SELECT 'never prepared'")[0].string(0) == "never prepared")
        let rows = try connection.pipeline([insert(1), insert(2), Query("DELETE FROM item WHERE id > 0")], by: .deferrable)
        #expect(rows.map { $0.affectedCount } == [1, 1, 2])
    }

    @Test func `reports the failing statement`() throws {
        let connection = try connect()
        let error = failure { () throws(PostgresError) in
            try connection.pipeline([Query("SELECT 1"), Query("SELECT nothing"), Query("SELECT 2")], by: .deferrable)
        }
        #expect(error?.sqlState == "42703")
        #expect(error?.queryIndex == 1)
        // The statement was not prepared, so it must be prepared again.
        let again = failure { () throws(PostgresError) in try connection.run("SELECT nothing") }
        #expect(again?.sqlState == "42703")
        #expect(try connection.number("SELECT 2") == 2)
    }

    @Test func `reports a failed commit`() throws {
        let connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE part (id int8 UNIQUE DEFERRABLE INITIALLY DEFERRED)")
        let twice = [Query("INSERT INTO part VALUES (1)"), Query("INSERT INTO part VALUES (1)")]
        let error = failure { () throws(PostgresError) in try connection.pipeline(twice, by: .deferrable) }
        #expect(error?.isUniqueViolation == true)
        #expect(error?.queryIndex == nil)
        #expect(error?.commitIsInDoubt == false)
        #expect(try connection.number("SELECT count(*) FROM part") == 0)
    }

    @Test func `prepares statements again that the server has discarded`() throws {
        let connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE kept (id int8)")
        #expect(try connection.run("SELECT * FROM kept").columnCount == 1)
        try connection.run("DEALLOCATE ALL")
        let error = failure { () throws(PostgresError) in try connection.run("SELECT * FROM kept") }
        #expect(error?.sqlState == "26000")
        #expect(error?.isRetryable == true)
        #expect(try connection.run("SELECT * FROM kept").columnCount == 1)
        try connection.run("ALTER TABLE kept ADD COLUMN name text")
        let changed = failure { () throws(PostgresError) in try connection.run("SELECT * FROM kept") }
        #expect(changed?.sqlState == "0A000")
        #expect(try connection.run("SELECT * FROM kept").columnCount == 2)
    }

    @Test func `uses the results of an earlier statement`() throws {
        let connection = try connect()
        let rows = try connection.pipeline(
            [
                Query("CREATE TEMPORARY TABLE made (id int8)"), Query("INSERT INTO made VALUES ($1)", [.int8(7)]),
                Query("SELECT id FROM made"),
            ], by: .deferrable)
        #expect(try rows[2][0].int64(0) == 7)
    }

    @Test func `prepares separately for each list of types`() throws {
        let connection = try connect()
        let query = { (parameter: Parameter) in Query("SELECT pg_typeof($1)::text", parameter) }
        #expect(try connection.run(query(.int8(1)), by: .deferrable)[0].string(0) == "bigint")
        #expect(try connection.run(query(.text("1")), by: .deferrable)[0].string(0) == "text")
    }
}
