import Postgres
import TestSupport
import Testing

@Suite struct ValueTests {
    private let connection: Connection

    init() throws {
        connection = try connect()
    }

    /// Returns the row of a statement with one parameter.
    private func row(_ sql: StaticString, _ parameter: Parameter) throws(PostgresError) -> Row {
        try connection.run(Query(sql, parameter), by: .deferrable)[0]
    }

    @Test(arguments: [0, 1, -1, 255, -256, 1 << 31, 1 << 47, Int64.max, Int64.min])
    func `integers survive a round trip`(value: Int64) throws {
        let row = try row("SELECT $1, $1::text, ($1 % 30000)::int2, ($1 % 30000)::int4", .int8(value))
        #expect(try row.int64(0) == value)
        #expect(try row.string(1) == "\(value)")
        #expect(try row.int64(2) == value % 30000)
        #expect(try row.int64(3) == value % 30000)
        #expect(try row.int32(2) == Int32(value % 30000))
        #expect(try row.int32(3) == Int32(value % 30000))
    }

    @Test(arguments: [0, 1, -1, Int32.max, Int32.min])
    func `small integers survive a round trip`(value: Int32) throws {
        let row = try row("SELECT $1, $1::text", .int4(value))
        #expect(try row.int32(0) == value)
        #expect(try row.string(1) == "\(value)")
    }

    @Test(arguments: [true, false])
    func `booleans survive a round trip`(value: Bool) throws {
        let row = try row("SELECT $1, $1::text", .bool(value))
        #expect(try row.bool(0) == value)
        #expect(try row.string(1) == "\(value)")
    }

    @Test(arguments: ["", "a", "caf\u{e9}", "cafe\u{301}", "\u{1F469}\u{200D}\u{1F4BB}", "\u{10FFFF}", "';DROP TABLE kept;--", "\\x00"])
    func `text survives a round trip`(value: String) throws {
        let row = try row("SELECT $1, octet_length($1), $1::varchar, $1::bytea", .text(value == "\\x00" ? "x" : value))
        let value = value == "\\x00" ? "x" : value
        #expect(Array(try row.string(0).utf8) == Array(value.utf8))
        #expect(try row.int64(1) == Int64(value.utf8.count))
        #expect(Array(try row.string(2).utf8) == Array(value.utf8))
        #expect(try row.bytes(0) == Array(value.utf8))
    }

    @Test(arguments: [[], [0], [0, 0, 1, 0], [0xff, 0xc3, 0x28]] as [[UInt8]])
    func `bytes survive a round trip`(value: [UInt8]) throws {
        let row = try row("SELECT $1, octet_length($1), encode($1, 'hex')", .bytea(value))
        #expect(try row.bytes(0) == value)
        #expect(try row.int64(1) == Int64(value.count))
        #expect(try row.withBytes(0) { bytes throws(PostgresError) in bytes.count } == value.count)
    }

    @Test func `many bytes survive a round trip`() throws {
        let value = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }
        let isSame = try row("SELECT $1", .bytea(value)).bytes(0) == value
        #expect(isSame)
    }

    @Test func `UUIDs and times survive a round trip`() throws {
        let uuid: [UInt8] = [0xA0, 0xEE, 0xBC, 0x99, 0x9C, 0x0B, 0x4E, 0xF8, 0xBB, 0x6D, 0x6B, 0xB9, 0xBD, 0x38, 0x0A, 0x11]
        let first = try row("SELECT $1, $1::text", .uuid(uuid))
        #expect(try first.uuid(0) == uuid)
        #expect(try first.string(1) == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")
        let moment = try row(
            "SELECT $1, extract(epoch FROM $1)::int8, 'infinity'::timestamptz", .timestamptz(unixMicroseconds: 1_700_000_000_123_456))
        #expect(try moment.unixMicroseconds(0) == 1_700_000_000_123_456)
        #expect(try moment.int64(1) == 1_700_000_000)
        #expect(try moment.unixMicroseconds(2) == .max)
        #expect(try row("SELECT $1::text", .timestamptz(unixMicroseconds: .min)).string(0) == "-infinity")
        let late = try connection.run("SELECT '294276-12-31'::timestamptz")[0]
        #expect(failure { () throws(PostgresError) in _ = try late.unixMicroseconds(0) }?.failure == .value)
    }

    @Test func `distinguishes null from empty`() throws {
        let rows = try connection.run(
            Query(
                "SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9", .int8(nil), .int4(nil), .bool(nil), .text(nil), .bytea(nil), .uuid(nil),
                .timestamptz(unixMicroseconds: nil), .text(""), .bytea([])), by: .deferrable)
        let row = rows[0]
        #expect((0..<9).map { row.isNull($0) } == [true, true, true, true, true, true, true, false, false])
        #expect(try row.optionalInt64(0) == nil)
        #expect(try row.optionalInt32(1) == nil)
        #expect(try row.optionalBool(2) == nil)
        #expect(try row.optionalString(3) == nil)
        #expect(try row.optionalBytes(4) == nil)
        #expect(try row.optionalUUID(5) == nil)
        #expect(try row.optionalUnixMicroseconds(6) == nil)
        #expect(try row.optionalString(7) == "")
        #expect(try row.optionalBytes(8) == [])
    }

    @Test func `rejects a column of another type`() throws {
        let row = try connection.run(
            "SELECT 'secret' AS word, 1 AS one, NULL::int8 AS nothing, 1.5::float8, ARRAY[1, NULL]::int8[], ARRAY[[1]]::int8[]")[0]
        let failures = [
            failure { () throws(PostgresError) in _ = try row.int64(0) },
            failure { () throws(PostgresError) in _ = try row.string(1) },
            failure { () throws(PostgresError) in _ = try row.int64(2) },
            failure { () throws(PostgresError) in _ = try row.int64(3) },
            failure { () throws(PostgresError) in _ = try row.int64Array(4) },
            failure { () throws(PostgresError) in _ = try row.int64Array(5) },
        ]
        #expect(
            failures.map { $0?.message } == [
                "column 0 (word) is text and not int8", "column 1 (one) is int4 and not text", "column 2 (nothing) is NULL",
                "column 3 (float8) is a type with the number 701 and not int8", "column 4 (array) has a NULL in its array",
                "column 5 (array) is not an array of one dimension, or has an element that cannot be read",
            ])
        #expect(failures.allSatisfy { $0?.failure == .value })
    }

    @Test func `rejects text that cannot be stored`() throws {
        let values: [Parameter] = [
            .text("a\0b"), .text(utf8: [0xff]), .textArray(["fine", "a\0b"]), .textArray(utf8: [nil, [0xC3]]),
        ]
        let failures = values.map { value in failure { () throws(PostgresError) in _ = try row("SELECT $1", value) } }
        #expect(
            failures.map { $0?.message } == [
                "parameter $1 contains U+0000, which PostgreSQL cannot store in text", "parameter $1 is not UTF-8",
                "parameter $1 has an element that contains U+0000, which PostgreSQL cannot store in text",
                "parameter $1 has an element that is not UTF-8",
            ])
        #expect(failures.allSatisfy { $0?.isConnectionLost == false && $0?.isRetryable == false })
        #expect(try connection.number("SELECT 1") == 1)
    }
}
