package import Core
package import Postgres
package import Storage
internal import Threading
package import Time

/// An empty schema for a test's stores, and the statements of tests that bypass the stores.
package final class PostgresSchemaFixture: Sendable {
    private static let server = Result { try PostgresServer(PostgresServer.Options("max_connections=300")) }
    /// Schemas of the shared server that are empty again: creating one costs fifty statements.
    private static let pool = Monitor<[String]>([])
    private static let count = Monitor(0)

    private let server: PostgresServer
    private let schema: String
    private let isShared: Bool

    /// Takes an unused schema.
    /// - Parameter server: by default one shared by all tests that do not stop it.
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
    // Deliveries are first, because a trigger counts the dead ones that are deleted. A session that a test cut off may still commit, so it
    // is ended first: while a transaction is open, it has a lock.
    private static let empty: StaticString = """
        DO $$ DECLARE name text; BEGIN
            PERFORM pg_terminate_backend(pid, 10000) FROM (
                SELECT DISTINCT pid FROM pg_locks JOIN pg_class ON pg_class.oid = relation
                WHERE relnamespace = current_schema()::regnamespace AND pid <> pg_backend_pid()) AS others;
            FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'deskgate_versions'
                ORDER BY tablename <> 'deliveries' LOOP
                EXECUTE 'DELETE FROM ' || name;
            END LOOP;
        END $$
        """

    /// The URL of the schema.
    /// - Parameters:
    ///   - ports: of 127.0.0.1, in the order of attempts: of proxies, or of a standby after the primary; by default the server's.
    ///   - options: the server's options for each session.
    package func url(ports: [UInt16] = [], options: [String: String] = [:]) -> String {
        let hosts = (ports.isEmpty ? [server.port] : ports).map { "127.0.0.1:\($0)" }.joined(separator: ",")
        let options = options.merging(["search_path": schema]) { $1 }.map { "-c\($0.key)%3D\($0.value)" }.joined(separator: "%20")
        return "postgres://postgres@\(hosts)/postgres?sslmode=disable&options=\(options)"
    }

    /// The settings for the URL; see `url`.
    package func settings(ports: [UInt16] = [], options: [String: String] = [:]) throws -> ConnectionSettings {
        try ConnectionSettings(url(ports: ports, options: options).utf8.span)
    }

    /// Opens the store of another process on this schema, or another store of a process with the given name.
    package func store(
        _ settings: StoreSettings = StoreSettings(), replica: UUIDv7? = nil,
        clock: @escaping @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }
    ) throws -> PostgresStore {
        try PostgresStore(try self.settings(), replica: replica, settings: settings, clock: clock)
    }

    /// Opens the store of another process whose clock is wrong.
    /// - Parameter aheadMilliseconds: the offset of its clock; negative when it is behind.
    package func store(_ settings: StoreSettings = StoreSettings(), aheadMilliseconds: Int64) throws -> PostgresStore {
        try store(settings) { SystemClock.unixMilliseconds().advanced(by: aheadMilliseconds) }
    }

    /// Runs statements in a separate session.
    /// - Parameter ports: as for `settings`.
    /// - Returns: the rows of the last one.
    @discardableResult
    package func run(_ queries: Query..., ports: [UInt16] = []) throws -> Rows? {
        let connection = try Connection(try settings(ports: ports), by: .after(milliseconds: WaitLimit.milliseconds))
        var rows: Rows?
        for query in queries { rows = try connection.run(query, by: .after(milliseconds: WaitLimit.milliseconds)) }
        return rows
    }
}
