package import Core
package import Postgres
internal import Time

extension PostgresDatabase {
    /// Returns the state of the database; it changes nothing.
    ///
    /// Without `pg_read_all_stats` (or `pg_monitor`, which includes it) a role sees neither the activity of other roles nor the state of
    /// standbys.
    /// - Throws: when it cannot be reached, or has no schema yet.
    package static func report(_ settings: ConnectionSettings) throws(StoreError) -> StoreReport {
        let (report, obstacle) = try use(settings) { session throws(PostgresError) -> (StoreReport?, StoreError?) in
            let place = try session.place()
            let obstacle = session.surroundingObstacle(place)
            guard place.version > 0 else { return (nil, obstacle) }
            let report = StoreReport(
                place: "\(settings)", version: place.version, latest: PostgresSchema.latest, parts: try session.parts(), beside: [],
                freeBytes: nil, server: try session.serverReport(obstacle))
            return (report, obstacle)
        }
        guard let report else {
            throw obstacle
                ?? StoreError(
                    .unavailable, "there is no schema in \(settings) yet", remedy: "deskgate store migrate makes it, or the first start")
        }
        return report
    }
}

extension PostgresSession {
    fileprivate func parts() throws(PostgresError) -> [StoreReport.Part] {
        var parts: [StoreReport.Part] = []
        for row in try run([Query(ReportStatements.parts)])[0] {
            parts.append(
                StoreReport.Part(
                    name: try row.string(0), bytes: try row.size(1), rows: Int(try row.int64(2)), deadRows: Int(try row.int64(3))))
        }
        return parts
    }

    fileprivate func serverReport(_ obstacle: StoreError?) throws(PostgresError) -> ServerReport {
        let results = try run([
            Query(ReportStatements.server), Query(ReportStatements.oldest), Query(ReportStatements.replicas),
            Query(ReportStatements.standbys), Query(ReportStatements.slots),
        ])
        let server = try results[0].one()
        let offset = try server.int64(5) - Int64(clamping: SystemClock.unixMilliseconds().rawValue)
        var (replicas, standbys, slots) = ([ServerReport.Replica](), [ServerReport.Standby](), [ServerReport.Slot]())
        for row in results[2] { replicas.append(ServerReport.Replica(id: try row.string(0), silentMilliseconds: try row.size(1))) }
        for row in results[3] {
            standbys.append(
                ServerReport.Standby(
                    name: try row.string(0), state: try row.optionalString(1), synchronization: try row.optionalString(2),
                    behindBytes: try row.optionalInt64(3).map { UInt64(max(0, $0)) }))
        }
        for row in results[4] {
            slots.append(ServerReport.Slot(name: try row.string(0), isActive: try row.bool(1), keptBytes: try row.size(2)))
        }
        var oldest: ServerReport.OldTransaction?
        if let row = results[1].first {
            oldest = ServerReport.OldTransaction(milliseconds: try row.size(0), owner: try row.string(1))
        }
        return ServerReport(
            obstacle: obstacle?.description, version: try server.string(0), isStandby: try server.bool(1),
            synchronousCommit: try server.string(2),
            synchronousStandbyNames: try server.string(7),
            connections: try server.optionalInt64(3).map { Int($0) }, maximumConnections: Int(try server.int64(4)), oldest: oldest,
            replicas: replicas, standbys: standbys, slots: slots, pending: try pending(), clockOffsetMilliseconds: offset,
            missingGrant: try server.optionalString(6))
    }
}

extension Row {
    /// Reads a `bigint` that is not negative.
    fileprivate func size(_ column: Int) throws(PostgresError) -> UInt64 { UInt64(max(0, try int64(column))) }
}

private enum ReportStatements {
    static let parts: StaticString = """
        SELECT relname::text, pg_total_relation_size(relid), n_live_tup, n_dead_tup FROM pg_stat_user_tables
        WHERE schemaname = current_schema() ORDER BY 2 DESC, 1
        """
    // Without the privilege PostgreSQL shows other roles' sessions with NULLs, so a count would be too small.
    static let server: StaticString = """
        SELECT current_setting('server_version'), pg_is_in_recovery(), current_setting('synchronous_commit'),
            CASE WHEN sees_all THEN (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') END,
            current_setting('max_connections')::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
            CASE WHEN NOT sees_all THEN 'GRANT pg_read_all_stats TO ' || quote_ident(current_user::text) END,
            current_setting('synchronous_standby_names')
        FROM pg_has_role('pg_read_all_stats', 'USAGE') AS sees_all
        """
    static let oldest: StaticString = """
        SELECT (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::bigint,
            coalesce(usename::text, '') || '/' || coalesce(nullif(application_name, ''), 'unknown')
        FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND datname = current_database()
            AND backend_type = 'client backend'
        ORDER BY xact_start LIMIT 1
        """
    static let replicas: StaticString = """
        SELECT id::text, (extract(epoch FROM clock_timestamp()) * 1000)::bigint - seen_at FROM replicas ORDER BY seen_at DESC
        """
    // NULL means unknown: PostgreSQL shows all roles that a standby exists, but not its state.
    static let standbys: StaticString = """
        SELECT coalesce(application_name, ''), state, sync_state,
            pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_lsn() END, replay_lsn)::bigint
        FROM pg_stat_replication ORDER BY 1
        """
    static let slots: StaticString = """
        SELECT slot_name::text, active,
            coalesce(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_lsn() END, restart_lsn), 0)::bigint
        FROM pg_replication_slots ORDER BY 1
        """
}
