package import Postgres
package import Storage
internal import Threading
package import Time

/// Empty places in a database for stores of tests, and what tests do to it behind the stores' back.
package final class PostgresPlace: Sendable {
    private static let server = Result { try PostgresServer(PostgresServer.Options("max_connections=300")) }
    private static let count = Monitor(0)

    private let server: PostgresServer
    private let schema: String

    /// A schema of its own.
    /// - Parameter server: by default one that all tests share who do not stop it.
    package init(_ server: PostgresServer? = nil) throws {
        self.server = try server ?? Self.server.get()
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        schema = "place_\(number)"
        let admin = try Connection(try ConnectionSettings(self.server.url().utf8.span), by: .after(milliseconds: 20_000))
        try admin.run(Query("SELECT set_config('deskgate.place', $1, false)", .text(schema)), by: .after(milliseconds: 20_000))
        try admin.run(
            Query("DO $$ BEGIN EXECUTE 'CREATE SCHEMA ' || current_setting('deskgate.place'); END $$"), by: .after(milliseconds: 20_000))
    }

    private func settings() throws -> ConnectionSettings {
        try ConnectionSettings(server.url(query: "options=-csearch_path%3D\(schema)").utf8.span)
    }

    /// One more process that works here.
    package func store(
        _ settings: StoreSettings = StoreSettings(), clock: @escaping @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    ) throws -> PostgresStore {
        try PostgresStore(try self.settings(), settings: settings, clock: clock)
    }

    /// Runs a statement, as somebody else.
    @discardableResult
    package func run(_ query: Query) throws -> Rows {
        let connection = try Connection(try settings(), by: .after(milliseconds: 20_000))
        return try connection.run(query, by: .after(milliseconds: 20_000))
    }
}
