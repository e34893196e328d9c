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

/// Connects to a server, with additional parameters in the URL.
func connect(
    to server: PostgresServer, query: String = "", preparing: Bool = true, onNotice: @escaping (Notice) -> Void = { _ in }
) throws -> Connection {
    var settings = try ConnectionSettings(server.url(query: query))
    settings.usesPreparedStatements = preparing
    return try Connection(settings, by: .deferrable, onNotice: onNotice)
}

/// Connects to the server shared by all suites.
func connect(query: String = "", preparing: Bool = true, onNotice: @escaping (Notice) -> Void = { _ in }) throws -> Connection {
    try connect(to: PostgresServer.shared.get(), query: query, preparing: preparing, onNotice: onNotice)
}

extension Connection {
    /// Runs a statement with a deadline that only a failing test reaches.
    @discardableResult
    func run(_ sql: StaticString) throws(PostgresError) -> Rows {
        try run(Query(sql), by: .deferrable)
    }

    /// The single number that a statement returns.
    func number(_ sql: StaticString) throws(PostgresError) -> Int64 {
        try run(sql)[0].int64(0)
    }
}

/// Returns the error of a call; nil when it succeeds.
func failure(_ body: () throws(PostgresError) -> Void) -> PostgresError? {
    do throws(PostgresError) {
        try body()
        return nil
    } catch {
        return error
    }
}
