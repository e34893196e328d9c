internal import Core
internal import Postgres

/// The properties of a database that are checked before it is used.
struct DatabaseInfo {
    /// The version of the schema; 0 when there is none.
    let version: Int
    let isPrepared: Bool
    /// The schema in which the role finds and creates tables; nil when it has no such schema.
    let schema: String?
    /// Whether the role may create tables in `schema`.
    let mayCreate: Bool
    /// Whether the server is read-only: a standby, or a primary with default_transaction_read_only on.
    let isStandby: Bool
    /// PostgreSQL's version as a number, such as 150004.
    let serverVersion: Int
    let role: String
    /// The tables that the role may not read and write, separated by commas; nil when the role may use all tables.
    let closedTables: String?
}

extension PostgresSession {
    /// The oldest PostgreSQL version that supports the syntax of the statements.
    private static let oldestServer = 130_000
    private static let migrationMilliseconds: UInt64 = 3_600_000

    func place() throws(PostgresError) -> DatabaseInfo {
        let row = try run([Query(SchemaStatements.place)])[0].one()
        let isPrepared = try row.bool(0)
        let version = isPrepared ? Int(try run([Query(SchemaStatements.version)])[0].one().int64(0)) : 0
        return DatabaseInfo(
            version: version, isPrepared: isPrepared, schema: row.isNull(1) ? nil : try row.string(1), mayCreate: try row.bool(2),
            isStandby: try row.bool(3), serverVersion: Int(try row.int32(4)), role: try row.string(5),
            closedTables: isPrepared ? try row.optionalString(6) : nil)
    }

    /// Returns the reason why the database cannot be used, with the remedy; nil when it can be used, if necessary after `migrate`.
    func obstacle() throws(PostgresError) -> StoreError? {
        let place = try place()
        if let obstacle = surroundingObstacle(place) { return obstacle }
        return try unfinishedCopy(place)
    }

    /// Returns the reason why the server, the role or the schema prevents the use of the database, without a check of the rows.
    func surroundingObstacle(_ place: DatabaseInfo) -> StoreError? {
        if place.serverVersion < Self.oldestServer {
            return StoreError(.unavailable, "this server is older than PostgreSQL 13, the oldest supported version")
        }
        if place.isStandby {
            return StoreError(
                .unavailable, "this server only reads: it is a standby, or default_transaction_read_only is on",
                remedy: "name the primary, or all hosts of the cluster: the one that writes is used; or switch that setting off")
        }
        let remedy = "have its owner run: deskgate store migrate --url - --grant \(place.role)"
        if let tables = place.closedTables {
            return StoreError(.unavailable, "\(place.role) may not read and write every table of the schema: \(tables)", remedy: remedy)
        }
        guard place.version < PostgresSchema.latest, !place.mayCreate else { return nil }
        let found =
            place.isPrepared ? "the schema has version \(place.version), and \(PostgresSchema.latest) is needed" : "there is no schema"
        return StoreError(.unavailable, "\(found), and \(place.role) may not make tables", remedy: remedy)
    }

    /// Migrates the schema to `latest`, if its version is lower. If several processes call this, one migrates and the others wait for it.
    /// Leaves a schema of a newer version unchanged, because newer versions only add to it.
    /// - Parameter latest: the target version.
    /// - Returns: the version before the migration; 0 if there was no schema.
    @discardableResult
    func migrate(to latest: Int = PostgresSchema.latest) throws(PostgresError) -> Int {
        let before = try place().version
        guard before < latest else { return before }
        // Building an index on a large table takes long, and so does waiting for another process that builds it.
        deferralMilliseconds = Self.migrationMilliseconds
        defer { deferralMilliseconds = PostgresSession.deferralMilliseconds }
        while try takeStep(to: latest) {}
        return before
    }

    /// Migrates the schema to the next version, in a separate transaction. A transaction of several steps could lock a second table while
    /// it holds the lock of a first one, and deadlock with running replicas.
    /// - Returns: whether a step was left to take.
    private func takeStep(to latest: Int) throws(PostgresError) -> Bool {
        try transaction { session throws(PostgresError) in
            _ = try session.run([Query(SchemaStatements.lock)])
            _ = try session.run([Query(SchemaStatements.addVersions)])
            let version = Int(try session.run([Query(SchemaStatements.version)])[0].one().int64(0))
            guard version < latest else { return (false, []) }
            let steps = PostgresSchema.steps[version].map { Query($0) }
            return (true, steps + [Query(SchemaStatements.setVersion, .int8(Int64(version + 1)))])
        }
    }

    /// Grants a role exactly the privileges on current and future tables of the schema that the service and `StoreCopy` need.
    func grant(to role: String) throws(PostgresError) {
        _ = try run([Query(SchemaStatements.nameRole, .text(role)), Query(SchemaStatements.grant)])
    }
}

private enum SchemaStatements {
    static let place: StaticString = """
        SELECT to_regclass('deskgate_versions') IS NOT NULL, current_schema(),
            coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), current_setting('transaction_read_only') = 'on',
            current_setting('server_version_num')::integer, current_user::text,
            (SELECT string_agg(c.relname::text, ', ' ORDER BY c.relname)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.relname = ANY ('{apps, attempts, bot_calls, conditions, copies,
                dead_counts, deliveries, depth, device_calls, devices, events, key_uses, marks, order_heads, paced_calls, past_comments,
                pauses, persons, removed_revocations, replicas, revocation_versions, revocations, topics, user_questions, window_calls,
                windows}'::name[])
                AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
                    AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')))
        """
    static let addVersions: StaticString = "CREATE TABLE IF NOT EXISTS deskgate_versions (version bigint PRIMARY KEY)"
    // An arbitrary lock number that other software is unlikely to use. The lock is held until the transaction ends.
    static let lock: StaticString = "SELECT pg_advisory_xact_lock(4919837461037)"
    static let version: StaticString = "SELECT coalesce(max(version), 0) FROM deskgate_versions"
    static let setVersion: StaticString = "INSERT INTO deskgate_versions VALUES ($1)"

    static let nameRole: StaticString = "SELECT set_config('deskgate.role', $1, false)"
    static let grant: StaticString = """
        DO $$ DECLARE role text := quote_ident(current_setting('deskgate.role')); place text := quote_ident(current_schema()); BEGIN
            EXECUTE format('GRANT USAGE ON SCHEMA %s TO %s', place, role);
            EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %s TO %s', place, role);
            EXECUTE format('GRANT SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA %s TO %s', place, role);
            EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON deskgate_versions FROM %s', role);
            EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %s', place, role);
            EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA %s GRANT SELECT, UPDATE ON SEQUENCES TO %s', place, role);
        END $$
        """
}
