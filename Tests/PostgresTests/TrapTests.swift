import Postgres
import TestSupport
import Testing

/// Programming errors end the process with a message that describes the error.
@Suite struct TrapTests {
    private func expect(_ message: String, in result: ExitTest.Result?) {
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains(message))
    }

    /// The URL of this process's shared server, for the process that ends.
    private func url() throws -> String { try PostgresServer.shared.get().url() }

    @Test func `traps on a missing column`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [url = try url() as String] in
            let connection = try Connection(try ConnectionSettings(url), by: .deferrable)
            _ = try connection.run("SELECT 1")[0].int64(1)
        }
        expect("the rows have no such column", in: result)
    }

    @Test func `traps on a missing row`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [url = try url() as String] in
            let connection = try Connection(try ConnectionSettings(url), by: .deferrable)
            _ = try connection.run("SELECT 1")[1]
        }
        expect("there is no such row", in: result)
    }

    @Test func `traps on a nested transaction`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [url = try url() as String] in
            let connection = try Connection(try ConnectionSettings(url), by: .deferrable)
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in try connection.transaction(by: .deferrable) {} }
        }
        expect("a transaction is open already", in: result)
    }

    @Test func `traps on a statement after the commit`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [url = try url() as String] in
            let connection = try Connection(try ConnectionSettings(url), by: .deferrable)
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                try connection.commit(by: .deferrable)
                try connection.run("SELECT 1")
            }
        }
        expect("the transaction has been committed already", in: result)
    }

    @Test func `traps on a UUID of another length`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Parameter.uuid([1])
        }
        expect("a UUID has 16 bytes", in: result)
    }
}
