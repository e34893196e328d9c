internal import Core
internal import Postgres
internal import Time

/// Revocations.
extension PostgresSession {
    /// Adds a revocation.
    func revoke(_ revocation: Revocation, _ offset: ClockOffset) throws(PostgresError) {
        let columns = RevokedColumns(revocation.subject)
        _ = try run([
            Query(
                RevocationSQL.insert,
                [
                    .uuid(revocation.id.bytes), .int4(try number(ofApp: revocation.appID)), .stored(columns.userID), .bytea(columns.salt),
                    .int8(columns.keyID), .int8(revocation.issuedBefore?.rawValue.stored), .stored(revocation.reason),
                    .stored(revocation.author), .int8(offset.stored(revocation.createdAt).stored), .bytea(columns.former),
                ])
        ])
    }

    /// Removes a revocation.
    func removeRevocation(_ id: UUIDv7, _ offset: ClockOffset) throws(PostgresError) -> Revocation? {
        guard let row = try run([Query(RevocationSQL.delete, .uuid(id.bytes))])[0].first else { return nil }
        let removed = try Revocation(row, offset)
        _ = try run([
            Query(RevocationSQL.remember, .uuid(id.bytes)),
            Query(RevocationSQL.forget, .int8(Int64(RevocationRules.removalMilliseconds))),
        ])
        return removed
    }

    /// A part of the list of revocations.
    func revocations(
        of person: RevokedPerson?, after: UUIDv7?, limit: Int, _ offset: ClockOffset
    ) throws(PostgresError) -> [Revocation] {
        let page: [Parameter] = [.uuid(after?.bytes ?? Self.afterAllIDs), .int8(Int64(limit))]
        let query =
            if let person {
                Query(RevocationSQL.ofPerson, page + [.stored(person.appID), .stored(person.userID)])
            } else {
                Query(RevocationSQL.all, page)
            }
        var found: [Revocation] = []
        for row in try run([query])[0] { found.append(try Revocation(row, offset)) }
        return found
    }

    /// As `Store` says.
    func formerSalt() throws(PostgresError) -> [UInt8]? { try run([Query(RevocationSQL.salt)])[0].first?.optionalBytes(0) }

    /// The question for the version of the last change, when it is asked with others.
    static var revocationVersionQuery: Query { Query(RevocationSQL.versions) }

    /// The answer to `revocationVersionQuery`.
    static func revocationVersion(_ rows: Rows) throws(PostgresError) -> Int64 { try rows.first?.int64(0) ?? 0 }

    /// All revocations. Throws if a row cannot be read: nothing is stored that it may be against.
    func readRevocations() throws(PostgresError) -> (all: KnownRevocations, version: Int64) {
        // The version first: what changes while the list is read is told as news.
        let version = try Self.revocationVersion(try run([Self.revocationVersionQuery])[0])
        var (known, last) = (KnownRevocations(), UUIDv7?.none)
        try known.change { book throws(PostgresError) in
            while true {
                let page = try revocations(of: nil, after: last, limit: RevocationRules.changesPerNews, .none)
                for revocation in page { book.apply(.added(revocation)) }
                guard page.count == RevocationRules.changesPerNews else { return }
                last = page.last?.id
            }
        }
        return (known, version)
    }

    /// Follows every id of version 7.
    private static let afterAllIDs = [UInt8](repeating: 0xFF, count: 16)

    /// As `Store` says.
    func revocationNews(since version: Int64?, _ offset: ClockOffset) throws(PostgresError) -> RevocationNews {
        let row = try run([Query(RevocationSQL.versions)])[0].first
        let versions = RevocationRules.Versions(last: try row?.int64(0) ?? 0, forgotten: try row?.int64(1) ?? 0)
        guard let version, version != versions.last else { return RevocationNews(changes: [], version: versions.last, isComplete: true) }
        guard RevocationRules.knows(version, versions) else {
            return RevocationNews(changes: [], version: versions.last, isComplete: false)
        }
        // Not beyond the version that was read: what is committed meanwhile may be seen in one list and not in the other.
        let range: [Parameter] = [.int8(version), .int8(versions.last), .int8(Int64(RevocationRules.changesPerNews))]
        let rows = try run([Query(RevocationSQL.added, range), Query(RevocationSQL.removed, range)])
        var (added, removed) = ([(version: Int64, change: RevocationChange)](), [(version: Int64, change: RevocationChange)]())
        for row in rows[0] { added.append((try row.int64(0), .added(try Revocation(row, offset)))) }
        for row in rows[1] { removed.append((try row.int64(0), .removed(try row.uuidv7(1)))) }
        return RevocationRules.news(added, removed, versions)
    }
}

extension Revocation {
    /// Reads a row of `version, id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former`.
    fileprivate init(_ row: Row, _ offset: ClockOffset) throws(PostgresError) {
        let columns = RevokedColumns(
            userID: try row.optionalStored(3), salt: try row.optionalBytes(4), keyID: try row.optionalInt64(5),
            former: try row.optionalBytes(10))
        guard let subject = columns.subject else { throw row.mismatch(4, "is no subject of a revocation") }
        self.init(
            id: try row.uuidv7(1), appID: try row.stored(2), subject: subject,
            issuedBefore: try row.optionalInt64(6).map { UnixSeconds(rawValue: UInt64(clamping: $0)) }, reason: try row.stored(7),
            author: try row.stored(8), createdAt: offset.told(try row.time(9)))
    }
}

private enum RevocationSQL {
    static let insert: StaticString = """
        WITH next AS (
            INSERT INTO revocation_versions AS versions (id, last, forgotten) VALUES (1, 1, 0)
            ON CONFLICT (id) DO UPDATE SET last = versions.last + 1 RETURNING last
        )
        INSERT INTO revocations (version, id, app, user_id, salt, key_id, issued_before, reason, author, created_at, former)
        SELECT last, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM next
        """
    static let delete: StaticString = """
        DELETE FROM revocations USING apps WHERE number = app AND revocations.id = $1 AND former IS NULL
        RETURNING version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former
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
        SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former
        FROM revocations JOIN apps ON number = app WHERE revocations.id < $1 ORDER BY revocations.id DESC LIMIT $2
        """
    static let ofPerson: StaticString = """
        SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former
        FROM revocations JOIN apps ON number = app
        WHERE app = (SELECT number FROM apps WHERE app_id = $3) AND user_id = $4 AND revocations.id < $1
        ORDER BY revocations.id DESC LIMIT $2
        """
    static let added: StaticString = """
        SELECT version, revocations.id, app_id, user_id, salt, key_id, issued_before, reason, author, created_at, former
        FROM revocations JOIN apps ON number = app WHERE version > $1 AND version <= $2 ORDER BY version LIMIT $3
        """
    static let removed: StaticString = """
        SELECT version, id FROM removed_revocations WHERE version > $1 AND version <= $2 ORDER BY version LIMIT $3
        """
}
