package import Postgres
package import Storage
internal import Threading
package import Time

/// Empty places in a database for stores of tests, and what tests do to it behind the stores' back.
package final class PostgresPlace: Sendable {
    private static let server = Result { try PostgresServer(PostgresServer.Options("max_connections=300")) }
    /// Places of the shared server that are empty again: making one costs fifty statements.
    private static let pool = Monitor<[String]>([])
    private static let count = Monitor(0)

    private let server: PostgresServer
    private let schema: String
    private let isShared: Bool

    /// A schema of its own.
    /// - Parameter server: by default one that all tests share who do not stop it.
    package init(_ server: PostgresServer? = nil) throws {
        isShared = server == nil
        self.server = try server ?? Self.server.get()
        if isShared, let empty = Self.pool.withLock({ $0.popLast() }) {
            schema = empty
            return
        }
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        schema = "place_\(number)"
        try run(Query("SELECT set_config('deskgate.place', $1, false)", .text(schema)), Query(Self.create))
    }

    deinit {
        guard isShared, (try? run(Query(Self.empty))) != nil else { return }
        Self.pool.withLock { $0.append(schema) }
    }

    private static let create: StaticString = """
        DO $$ BEGIN EXECUTE 'CREATE SCHEMA ' || current_setting('deskgate.place'); END $$
        """
    private static let empty: StaticString = """
        DO $$ DECLARE name text; BEGIN
            FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'deskgate_versions' LOOP
                EXECUTE 'DELETE FROM ' || name;
            END LOOP;
        END $$
        """

    private func settings() throws -> ConnectionSettings {
        try ConnectionSettings(server.url(query: "options=-csearch_path%3D\(schema)").utf8.span)
    }

    /// One more process that works here.
    package func store(
        _ settings: StoreSettings = StoreSettings(), clock: @escaping @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    ) throws -> PostgresStore {
        try PostgresStore(try self.settings(), settings: settings, clock: clock)
    }

    /// Runs statements, as somebody else.
    package func run(_ queries: Query...) throws {
        let connection = try Connection(try settings(), by: .after(milliseconds: 20_000))
        for query in queries { try connection.run(query, by: .after(milliseconds: 20_000)) }
    }
}
