import Postgres
import TestSupport

extension Deadline {
    /// A deadline that only a failing test reaches.
    static var deferrable: Deadline { .after(milliseconds: WaitLimit.milliseconds) }
}

extension ConnectionSettings {
    init(_ url: String) throws(PostgresError) {
        try self.init(Array(url.utf8).span)
    }
}

/// Connects to a server, with further parameters of the URL.
func connect(
    to server: PostgresServer, query: String = "", preparing: Bool = true, onNotice: @escaping (Notice) -> Void = { _ in }
) throws -> Connection {
    var settings = try ConnectionSettings(server.url(query: query))
    settings.usesPreparedStatements = preparing
    return try Connection(settings, by: .deferrable, onNotice: onNotice)
}

/// Connects to the server that all suites share.
func connect(query: String = "", preparing: Bool = true, onNotice: @escaping (Notice) -> Void = { _ in }) throws -> Connection {
    try connect(to: PostgresServer.shared.get(), query: query, preparing: preparing, onNotice: onNotice)
}

extension Connection {
    /// Runs a statement that nothing keeps waiting.
    @discardableResult
    func run(_ sql: StaticString) throws(PostgresError) -> Rows {
        try run(Query(sql), by: .deferrable)
    }

    /// The one number that a statement returns.
    func number(_ sql: StaticString) throws(PostgresError) -> Int64 {
        try run(sql)[0].int64(0)
    }
}

/// The error that a call ends with; nil when it succeeds.
func failure(_ body: () throws(PostgresError) -> Void) -> PostgresError? {
    do throws(PostgresError) {
        try body()
        return nil
    } catch {
        return error
    }
}
