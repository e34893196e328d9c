import SQLite
import Testing

@Suite struct ValueTests {
    private let connection: Connection
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
        connection = try database.open()
        try connection.execute("CREATE TABLE kept (value ANY) STRICT")
    }

    /// Stores a value without type affinity, and returns the stored value and SQLite's name of its type.
    private func roundTrip<Value>(
        _ value: some SQLiteBindable, _ read: (Statement) throws(SQLiteError) -> Value
    ) throws -> (value: Value, type: String) {
        try Statement(connection, "INSERT INTO kept VALUES (?1)").run(value)
        let select = try Statement(connection, "SELECT value, typeof(value) FROM kept WHERE rowid = last_insert_rowid()")
        #expect(try select.step())
        return (try read(select), try select.string(1))
    }

    @Test(arguments: [0, 1, -1, 127, -129, 1 << 31, 1 << 47, Int64.max, Int64.min])
    func `integers survive a round trip`(value: Int64) throws {
        let kept = try roundTrip(value) { row throws(SQLiteError) in try row.int64(0) }
        #expect(kept == (value, "integer"))
        let other = try roundTrip(Int(value)) { row throws(SQLiteError) in try row.optionalInt64(0) }
        #expect(other == (value, "integer"))
    }

    @Test(arguments: [
        "", "a", "caf\u{e9}", "cafe\u{301}", "\u{1F469}\u{200D}\u{1F4BB}", "\u{10FFFF}", "';DROP TABLE kept;--",
    ])
    func `text survives a round trip`(value: String) throws {
        let kept = try roundTrip(value) { row throws(SQLiteError) in try row.string(0) }
        #expect(Array(kept.value.utf8) == Array(value.utf8))
        #expect(kept.type == "text")
        #expect(try roundTrip(value) { row throws(SQLiteError) in try row.bytes(0) }.value == Array(value.utf8))
    }

    @Test(arguments: [[], [0], [0, 0, 1, 0], [0xff, 0xc3, 0x28]] as [[UInt8]])
    func `bytes survive a round trip`(value: [UInt8]) throws {
        let kept = try roundTrip(value) { row throws(SQLiteError) in try row.bytes(0) }
        #expect(kept == (value, "blob"))
    }

    @Test func `text with NUL survives a round trip`() throws {
        for value in ["\0", "a\0b", "\0\0"] { try `text survives a round trip`(value: value) }
    }

    @Test func `many bytes survive a round trip`() throws {
        let value = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let isSame = try roundTrip(value) { row throws(SQLiteError) in try row.bytes(0) }.value == value
        #expect(isSame)
    }

    @Test func `distinguishes null from empty`() throws {
        let select = try Statement(connection, "SELECT ?1, ?2, ?3, ?4")
        select.bind(Int64?.none, at: 1)
        select.bind([UInt8]?.some([]), at: 2)
        select.bind("", at: 3)
        #expect(try select.step())
        #expect((0..<4).map { select.isNull($0) } == [true, false, false, true])
        #expect(try select.optionalBytes(2) == [])
        #expect(try select.optionalString(2) == "")
        #expect(try select.optionalString(0) == nil)
        #expect(try select.optionalBytes(3) == nil)
        #expect(try select.optionalInt64(3) == nil)
    }

    @Test func `borrows bytes in place`() throws {
        let select = try Statement(connection, "SELECT ?1, x'', zeroblob(3)")
        select.bind(([1, 2, 3] as [UInt8]).span, at: 1)
        #expect(try select.step())
        #expect(try select.withBytes(0) { bytes throws(SQLiteError) in Int(bytes[0]) * 100 + bytes.count } == 103)
        #expect(try select.withBytes(1) { bytes throws(SQLiteError) in bytes.isEmpty })
        #expect(try select.bytes(2) == [0, 0, 0])
    }

    @Test func `rejects a column of another type`() throws {
        let select = try Statement(connection, "SELECT 'secret', 1, NULL, CAST(x'ff' AS TEXT), 1.5")
        #expect(try select.step())
        let failures = [
            failure { () throws(SQLiteError) in _ = try select.int64(0) },
            failure { () throws(SQLiteError) in _ = try select.string(1) },
            failure { () throws(SQLiteError) in _ = try select.bytes(1) },
            failure { () throws(SQLiteError) in _ = try select.int64(2) },
            failure { () throws(SQLiteError) in _ = try select.int64(4) },
            failure { () throws(SQLiteError) in _ = try select.string(3) },
        ]
        #expect(failures.map { $0?.primaryCode } == Array(repeating: 20, count: 6))
        #expect(failures[0]?.message == "column 0 contains a value of another type")
        #expect(failures[5]?.message == "column 3 contains text that is not UTF-8")
    }
}
