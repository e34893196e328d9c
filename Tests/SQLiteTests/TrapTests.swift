import SQLite
import Testing

/// Programming errors end the process with a message that describes the error, before they can access freed memory or store wrong data.
@Suite struct TrapTests {
    // The process that a test ends cannot remove its files, but this one can.
    private let database: TestDatabase
    private var path: String { database.path }

    init() throws {
        database = try TestDatabase()
    }

    private func expect(_ message: String, in result: ExitTest.Result?) {
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains(message))
    }

    @Test func `traps after closing`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            let connection = try Connection(path: path, mode: .readWriteCreate)
            let select = try Statement(connection, "SELECT 1")
            try connection.close()
            _ = try select.step()
        }
        expect("the statement's connection is closed", in: result)
    }

    @Test func `traps when closed during a borrow of bytes`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            let connection = try Connection(path: path, mode: .readWriteCreate)
            let select = try Statement(connection, "SELECT 'text'")
            _ = try select.step()
            try select.withBytes(0) { _ throws(SQLiteError) in try connection.close() }
        }
        expect("rows or bytes of the connection are still borrowed", in: result)
    }

    @Test func `traps when stepped during a borrow of a row`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            let select = try Statement(try Connection(path: path, mode: .readWriteCreate), "VALUES (1), (2)")
            try select.forEachRow { row throws(SQLiteError) in _ = try row.step() }
        }
        expect("rows or bytes of the statement are still borrowed", in: result)
    }

    @Test func `traps on a wrong number of values`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            try Statement(try Connection(path: path, mode: .readWriteCreate), "SELECT ?1, ?2").run(1)
        }
        expect("the statement has another number of parameters", in: result)
    }

    @Test func `traps on binding between rows`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            let select = try Statement(try Connection(path: path, mode: .readWriteCreate), "SELECT ?1")
            _ = try select.step()
            select.bind(Int64(1), at: 1)
        }
        expect("binding failed", in: result)
    }

    @Test func `traps on a nested transaction`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            let connection = try Connection(path: path, mode: .readWriteCreate)
            try connection.transaction { () throws(SQLiteError) in try connection.transaction {} }
        }
        expect("a transaction is open already", in: result)
    }

    @Test func `traps on a second statement`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            _ = try Statement(try Connection(path: path, mode: .readWriteCreate), "SELECT 1; SELECT 2")
        }
        expect("more than one SQL statement", in: result)
    }

    @Test func `traps on reading without a current row`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [path = path as String] in
            _ = try Statement(try Connection(path: path, mode: .readWriteCreate), "SELECT 1").int64(0)
        }
        expect("there is no row", in: result)
    }
}
