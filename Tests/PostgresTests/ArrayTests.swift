import Postgres
import TestSupport
import Testing

@Suite struct ArrayTests {
    private let connection: Connection

    init() throws {
        connection = try connect()
    }

    private func rows(_ sql: StaticString, _ parameters: Parameter...) throws(PostgresError) -> Row {
        precondition(parameters.count == 1)
        return try connection.run(Query(sql, parameters[0]), by: .deferrable)[0]
    }

    @Test(arguments: [0, 1, 2, 3, 50, 1000])
    func `random arrays survive a round trip`(count: Int) throws {
        var random = SeededGenerator(seed: UInt64(count))
        let numbers = (0..<count).map { _ in Int64(bitPattern: random.next()) }
        #expect(try rows("SELECT $1", .int8Array(numbers)).int64Array(0) == numbers)
        let small = numbers.map { Int32(truncatingIfNeeded: $0) }
        #expect(try rows("SELECT $1", .int4Array(small)).int32Array(0) == small)
        let truths = numbers.map { $0 & 1 == 0 }
        #expect(try rows("SELECT $1", .boolArray(truths)).boolArray(0) == truths)
        let bytes = (0..<count).map { _ in random.next() % 5 == 0 ? nil : random.bytes(Int(random.next() % 40)) }
        #expect(try rows("SELECT $1", .byteaArray(bytes)).bytesArray(0) == bytes)
        let texts = (0..<count).map { _ in randomText(&random) }
        let kept = try rows("SELECT $1", .textArray(texts)).stringArray(0)
        #expect(kept.map { $0.map { Array($0.utf8) } } == texts.map { $0.map { Array($0.utf8) } })
        let identifiers = (0..<count).map { _ in random.bytes(16) }
        #expect(try rows("SELECT $1", .uuidArray(identifiers)).uuidArray(0) == identifiers)
    }

    private func randomText(_ random: inout SeededGenerator) -> String? {
        if random.next() % 5 == 0 { return nil }
        let scalars = (0..<random.next() % 12).map { _ in Unicode.Scalar(UInt32.random(in: 1...0x10FFFF, using: &random)) ?? "{" }
        return String(String.UnicodeScalarView(scalars))
    }

    @Test func `arrays unnest into rows`() throws {
        let query = Query(
            "SELECT id, name, data, flag FROM unnest($1, $2, $3, $4) AS given (id, name, data, flag) ORDER BY id DESC",
            .int8Array([1, nil, 3]), .textArray(["a", "NULL", nil]), .byteaArray([nil, [], [7]]), .boolArray([true, false, true]))
        let rows = try connection.run(query, by: .deferrable)
        #expect(rows.count == 3)
        #expect(try rows.map { row throws in try row.optionalInt64(0) } == [nil, 3, 1])
        #expect(try rows.map { row throws in try row.optionalString(1) } == ["NULL", nil, "a"])
        #expect(try rows.map { row throws in try row.optionalBytes(2) } == [[], [7], nil])
        #expect(try rows.map { row throws in try row.bool(3) } == [false, true, true])
    }

    @Test func `the server accepts the encoding`() throws {
        let row = try rows("SELECT $1::text, cardinality($1), array_ndims($1), $1 = '{}'", .textArray(["a", nil, "NULL", "", "{,}", "\""]))
        #expect(try row.string(0) == #"{a,NULL,"NULL","","{,}","\""}"#)
        #expect(try row.int64(1) == 6)
        #expect(try row.int64(2) == 1)
        let empty = try rows("SELECT $1 = '{}', array_ndims($1)", .int8Array([] as [Int64]))
        #expect(try empty.bool(0))
        #expect(empty.isNull(1))
    }

    @Test func `arrays from the server are decoded`() throws {
        let row = try connection.run(
            "SELECT array_agg(n ORDER BY n), array_agg(n::text ORDER BY n), current_schemas(true) FROM generate_series(1, 4) n")[0]
        #expect(try row.int32Array(0) == [1, 2, 3, 4])
        #expect(try row.stringArray(1) == ["1", "2", "3", "4"])
        #expect(try row.stringArray(2).contains("pg_catalog"))
    }
}
