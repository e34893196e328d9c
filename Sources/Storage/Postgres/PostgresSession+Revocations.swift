internal import Core
internal import Postgres
internal import Time

extension PostgresSession {
    /// Adds a revocation.
    /// - Parameter isSwept: whether the sweep has no devices of this revocation to find.
    func revoke(_ revocation: Revocation, isSwept: Bool, _ offset: ClockOffset) throws(PostgresError) {
        let columns = RevokedColumns(revocation.subject)
        _ = try run([
            Query(
                RevocationSQL.insert,
                [
                    .uuid(revocation.id.bytes), .int4(try number(ofApp: revocation.appID)), .stored(columns.userID), .bytea(columns.salt),
                    .int8(columns.keyID), .int8(revocation.issuedBefore?.rawValue.stored), .stored(revocation.reason),
                    .stored(revocation.author), .int8(offset.databaseTime(revocation.createdAt).stored), .bytea(columns.former),
                    .bool(isSwept),
                ])
        ])
    }

    /// Adds to the number of devices that a revocation has signed out.
    func addRemovedDevices(_ count: Int, to id: UUIDv7) throws(PostgresError) {
        _ = try run([Query(RevocationSQL.countRemoved, [.uuid(id.bytes), .int8(Int64(count))])])
    }

    func finishSweep(of revocation: UUIDv7) throws(PostgresError) {
        _ = try run([Query(RevocationSQL.finishSweep, .uuid(revocation.bytes))])
    }

    func unsweptRevocation(_ offset: ClockOffset) throws(PostgresError) -> Revocation? {
        try run([Query(RevocationSQL.unswept)])[0].first.map { row throws(PostgresError) in offset.localTime(try Revocation(row)) }
    }

    /// Selects candidate devices for `RevocationSweeper`. `RegistryTransition` decides which of them to sign out.
    func devices(
        coveredBy revocation: Revocation, after: Device.Key?, rows: Int64, limit: Int
    ) throws(PostgresError) -> (found: [Device.Key], next: Device.Key?) {
        let columns = RevokedColumns(revocation.subject)
        let parameters: [Parameter] = [
            .stored(revocation.appID), .stored(after?.userID ?? ""), .stored(after?.deviceID ?? ""), .bytea(columns.salt),
            .int8(columns.keyID), .int8(revocation.issuedBefore?.rawValue.stored), .int8(rows), .int8(Int64(limit)),
            .uuid(revocation.id.bytes),
        ]
        var (found, next) = ([Device.Key](), Device.Key?.none)
        for row in try run([Query(RevocationSQL.covered, parameters)])[0] {
            let key = Device.Key(appID: revocation.appID, userID: try row.stored(0), deviceID: try row.stored(1))
            if try row.bool(2) { found.append(key) }
            if try row.bool(3) || found.count == limit { next = key }
        }
        return (found, next)
    }

    func removeRevocation(_ id: UUIDv7, _ offset: ClockOffset) throws(PostgresError) -> Revocation? {
        guard let row = try run([Query(RevocationSQL.delete, .uuid(id.bytes))])[0].first else { return nil }
        let removed = offset.localTime(try Revocation(row))
        _ = try run([
            Query(RevocationSQL.remember, .uuid(id.bytes)),
            Query(RevocationSQL.forget, .int8(Int64(RevocationRules.removalMilliseconds))),
        ])
        return removed
    }

    func revocations(
        _ filter: RevocationFilter, after: UUIDv7?, limit: Int, _ offset: ClockOffset
    ) throws(PostgresError) -> [Revocation] {
        let page: [Parameter] = [.uuid(after?.bytes ?? Self.afterAllIDs), .int8(Int64(limit))]
        let query =
            switch filter {
            case .all: Query(RevocationSQL.all, page)
            case .app(let appID): Query(RevocationSQL.ofApp, page + [.stored(appID)])
            case .person(let person): Query(RevocationSQL.ofPerson, page + [.stored(person.appID), .stored(person.userID)])
            }
        var found: [Revocation] = []
        for row in try run([query])[0] { found.append(offset.localTime(try Revocation(row))) }
        return found
    }

    func formerSalt() throws(PostgresError) -> [UInt8]? { try run([Query(RevocationSQL.salt)])[0].first?.optionalBytes(0) }

    /// Queries the version of the last change; for use with other queries in one round trip.
    static var revocationVersionQuery: Query { Query(RevocationSQL.versions) }

    /// Reads the result of `revocationVersionQuery`.
    static func revocationVersion(_ rows: Rows) throws(PostgresError) -> Int64 { try rows.first?.int64(0) ?? 0 }

    /// Reads all revocations. Throws if a row cannot be read, because the store must not accept data that an unread revocation may cover.
    func readRevocations() throws(PostgresError) -> (all: KnownRevocations, version: Int64) {
        // Reads the version first, so that the next poll returns changes that are made while the list is read.
        let version = try Self.revocationVersion(try run([Self.revocationVersionQuery])[0])
        var (known, last) = (KnownRevocations(), UUIDv7?.none)
        try known.change { set throws(PostgresError) in
            while true {
                let page = try revocations(.all, after: last, limit: RevocationRules.changesPerPage, .none)
                for revocation in page { set.apply(.added(revocation)) }
                guard page.count == RevocationRules.changesPerPage else { return }
                last = page.last?.id
            }
        }
        return (known, version)
    }

    /// Sorts after every version 7 id.
    private static let afterAllIDs = [UInt8](repeating: 0xFF, count: 16)

    func revocationChanges(since version: Int64?, _ offset: ClockOffset) throws(PostgresError) -> RevocationChanges {
        let row = try run([Query(RevocationSQL.versions)])[0].first
        let versions = RevocationRules.Versions(last: try row?.int64(0) ?? 0, forgotten: try row?.int64(1) ?? 0)
        guard let version, version != versions.last else { return RevocationChanges(changes: [], version: versions.last, isComplete: true) }
        guard RevocationRules.knows(version, versions) else {
            return RevocationChanges(changes: [], version: versions.last, isComplete: false)
        }
        // Limits both lists to the version that was read: a change that is committed between the two queries may appear in only one list.
        let range: [Parameter] = [.int8(version), .int8(versions.last), .int8(Int64(RevocationRules.changesPerPage))]
        let rows = try run([Query(RevocationSQL.added, range), Query(RevocationSQL.removed, range)])
        var (added, removed) = ([(version: Int64, change: RevocationChange)](), [(version: Int64, change: RevocationChange)]())
        for row in rows[0] { added.append((try row.int64(0), .added(offset.localTime(try Revocation(row))))) }
        for row in rows[1] { removed.append((try row.int64(0), .removed(try row.uuidv7(1)))) }
        return RevocationRules.changes(added, removed: removed, versions: versions)
    }
}

private enum RevocationSQL {
    static let insert: StaticString = """
        WITH next AS (
            INSERT INTO revocation_versions AS versions (id, last, forgotten) VALUES (1, 1, 0)
            ON CONFLICT (id) DO UPDATE SET last = versions.last + 1 RETURNING last
        )
        INSERT INTO revocations (version, id, app, user_id, salt, key_id, issued_before, reason, author, created_at, former, swept)
        SELECT last, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM next
        """
    static let finishSweep: StaticString = "UPDATE revocations SET swept = true WHERE id = $1"
    static let unswept: StaticString = """
        SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
            devices_removed
        FROM revocations JOIN apps ON number = app WHERE NOT swept ORDER BY version LIMIT 1
        """
    static let countRemoved: StaticString = "UPDATE revocations SET devices_removed = devices_removed + $2 WHERE id = $1"
    // Returns covered rows, and the last row of a full step. Stops at the limit.
    static let covered: StaticString = """
        SELECT user_id, device_id, is_covered, place = $7 FROM (
            SELECT user_id, device_id, row_number() OVER (ORDER BY user_id, device_id) AS place, coalesce(
                token IS NOT NULL AND ($4::bytea IS NULL OR salt = $4) AND ($5::bigint IS NULL OR key_id = $5 OR issued_at = 0)
                AND ($6::bigint IS NULL OR issued_at < $6), false) AS is_covered
            FROM devices WHERE app = (SELECT number FROM apps WHERE app_id = $1) AND (user_id, device_id) > ($2, $3)
                AND EXISTS (SELECT 1 FROM revocations WHERE id = $9)
            ORDER BY user_id, device_id LIMIT $7
        ) AS step WHERE is_covered OR place = $7 ORDER BY user_id, device_id LIMIT $8
        """
    static let delete: StaticString = """
        DELETE FROM revocations USING apps WHERE number = app AND revocations.id = $1 AND former IS NULL
        RETURNING version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former, devices_removed
        """
    static let remember: StaticString = """
        WITH next AS (
            INSERT INTO revocation_versions AS versions (id, last, forgotten) VALUES (1, 1, 0)
            ON CONFLICT (id) DO UPDATE SET last = versions.last + 1 RETURNING last
        )
        INSERT INTO removed_revocations (version, id, at)
        SELECT last, $1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM next
        """
    static let forget: StaticString = """
        WITH old AS (
            DELETE FROM removed_revocations WHERE at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1 RETURNING version
        )
        UPDATE revocation_versions SET forgotten = gone.version
        FROM (SELECT max(version) AS version FROM old) AS gone WHERE gone.version > forgotten
        """
    static let salt: StaticString = "SELECT former FROM revocations WHERE former IS NOT NULL ORDER BY former LIMIT 1"
    static let versions: StaticString = "SELECT last, forgotten FROM revocation_versions WHERE id = 1"
    static let all: StaticString = """
        SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
            devices_removed
        FROM revocations JOIN apps ON number = app WHERE revocations.id < $1 ORDER BY revocations.id DESC LIMIT $2
        """
    static let ofApp: StaticString = """
        SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
            devices_removed
        FROM revocations JOIN apps ON number = app
        WHERE app = (SELECT number FROM apps WHERE app_id = $3) AND revocations.id < $1 ORDER BY revocations.id DESC LIMIT $2
        """
    static let ofPerson: StaticString = """
        SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
            devices_removed
        FROM revocations JOIN apps ON number = app
        WHERE app = (SELECT number FROM apps WHERE app_id = $3) AND user_id = $4 AND revocations.id < $1
        ORDER BY revocations.id DESC LIMIT $2
        """
    static let added: StaticString = """
        SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former,
            devices_removed
        FROM revocations JOIN apps ON number = app WHERE version > $1 AND version <= $2 ORDER BY version LIMIT $3
        """
    static let removed: StaticString = """
        SELECT version, id FROM removed_revocations WHERE version > $1 AND version <= $2 ORDER BY version LIMIT $3
        """
}
