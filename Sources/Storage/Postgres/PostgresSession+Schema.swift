internal import Core
internal import Postgres

/// The properties of a database that are checked before it is used.
struct DatabaseInfo {
    /// The version of the schema; 0 when there is none.
    let version: Int
    let isPrepared: Bool
    /// The schema in which tables are looked for and made; nil when the role has none.
    let schema: String?
    /// Whether the role may make tables there.
    let mayCreate: Bool
    /// Whether the server is read-only: a standby, or a primary configured so.
    let isStandby: Bool
    /// PostgreSQL's version as a number, such as 150004.
    let serverVersion: Int
    let role: String
    /// The tables that it may not read and write, in a row with commas; nil when there is none.
    let closedTables: String?
}

extension PostgresSession {
    /// The oldest PostgreSQL whose syntax the statements keep to.
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

    /// Returns why the database cannot be used, with the remedy; nil when it can, at the latest after `migrate`.
    func obstacle() throws(PostgresError) -> StoreError? {
        let place = try place()
        if let obstacle = surroundingObstacle(place) { return obstacle }
        return try unfinishedCopy(place)
    }

    /// Returns what beside the rows keeps the database from being used.
    func surroundingObstacle(_ place: DatabaseInfo) -> StoreError? {
        if place.serverVersion < Self.oldestServer {
            return StoreError(.unavailable, "PostgreSQL 13 or newer is needed; this server is older")
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

    /// Brings the schema to the present version, if it is not there yet; of several processes one does, and the others wait for it. A
    /// schema of a newer version is left alone: versions only add.
    /// - Parameter latest: up to which version.
    /// - Returns: the version before; 0 where there was no schema.
    @discardableResult
    func migrate(to latest: Int = PostgresSchema.latest) throws(PostgresError) -> Int {
        let before = try place().version
        guard before < latest else { return before }
        // An index on a large table takes long, and so does waiting for the one who makes it.
        deferralMilliseconds = Self.migrationMilliseconds
        defer { deferralMilliseconds = PostgresSession.deferralMilliseconds }
        while try takeStep(to: latest) {}
        return before
    }

    /// Brings the schema to the next version, in a transaction of its own: one that waits for a second table while it has locked another
    /// one could deadlock with working replicas.
    /// - Returns: whether there was one.
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

    /// Lets a role do what serving and `StoreCopy` take with the tables of the schema, those to come included, and nothing more.
    /// - Parameter role: a role's name.
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
    // Any number that nobody else is likely to lock; until the transaction ends.
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
