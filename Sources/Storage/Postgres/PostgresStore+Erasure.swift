package import Core
internal import Postgres
package import Time

extension PostgresStore {
    private static let vacuumMilliseconds: UInt64 = TimeLimit.milliseconds(30_000)

    package func erase(
        _ person: AppUser, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Erasure {
        var erasure = Erasure()
        let filter = DeviceFilter(appID: person.appID, userID: person.userID)
        erasure.devices = try removeDevices(filter, .forgotten, now: now, telling: audience)
        let now = offset(for: now).databaseTime(now)
        try forEachStep(of: person) { found throws(StoreError) in
            try erasure.erase(found, perCommit: settings.rowsPerCommit) { events throws(StoreError) in
                try upkeep { work throws(PostgresError) in try work.erase(events, now: now) }
            }
        }
        try upkeep { work throws(PostgresError) in
            try work.forgetConversations(of: person)
            try work.erase(person)
        }
        erasure.botCalls = try eraseBotCalls(of: person)
        return erasure
    }

    /// Vacuums the tables, if the role owns them, and then counts the remaining rows in each of them.
    package func proveErasure(of traces: PersonTraces) throws(StoreError) -> ErasureProof {
        let isVacuumed = try vacuum()
        var (events, waiting) = (0, [ByteKey: Int]())
        try forEachStep(of: traces.person) { found throws(StoreError) in
            events += found.count { !$0.isErased }
            let erased = found.filter(\.isErased).map(\.number)
            guard !erased.isEmpty else { return }
            for notifier in try read({ session throws(PostgresError) in try session.waiting(of: erased) }) {
                waiting[ByteKey(notifier), default: 0] += 1
            }
        }
        let tables = try read { session throws(PostgresError) in try session.rows(of: traces.person) }
        return ErasureProof(
            tables: [ErasureProof.Table(name: "events", rows: events)] + tables, waiting: Erasure.Deliveries.list(waiting),
            isVacuumed: isVacuumed)
    }

    /// Calls `body` with the events of a person, once for each step of event numbers.
    private func forEachStep(
        of person: AppUser, _ body: ([(number: Int64, isErased: Bool)]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let ends = try read { session throws(PostgresError) in try session.eventNumbers() }
        var first = ends.oldest - 1
        while first < ends.newest {
            let (after, last) = (first, first + settings.eventsPerStep)
            try body(try read { session throws(PostgresError) in try session.events(of: person, after: after, through: last) })
            first = last
        }
    }

    /// Vacuums the tables so that the space of deleted rows can be reused. Uses a separate connection, because a vacuum may take long.
    /// - Returns: false when the role does not own the tables, or the vacuum failed or timed out.
    private func vacuum() throws(StoreError) -> Bool {
        try PostgresDatabase.use(address) { session throws(PostgresError) in
            guard try session.ownsTables() else { return false }
            session.deferralMilliseconds = Self.vacuumMilliseconds
            do throws(PostgresError) {
                try session.vacuum()
                return true
            } catch {
                return false
            }
        }
    }
}

extension PostgresSession {
    /// The numbers of the oldest and the newest event; without events the oldest is greater than the newest.
    func eventNumbers() throws(PostgresError) -> (oldest: Int64, newest: Int64) {
        let row = try run([Query(ErasureStatements.ends)])[0].one()
        return (try row.int64(0), try row.int64(1))
    }

    /// The numbers of the events about a person between two numbers, the first one excluded.
    func events(
        of person: AppUser, after first: Int64, through last: Int64
    ) throws(PostgresError) -> [(number: Int64, isErased: Bool)] {
        var found: [(number: Int64, isErased: Bool)] = []
        let query = Query(ErasureStatements.events, [.int8(first), .int8(last), .stored(person.appID), .stored(person.userID)])
        for row in try run([query])[0] { found.append((try row.int64(0), try row.bool(1))) }
        return found
    }

    func waiting(of events: [Int64]) throws(PostgresError) -> [String] {
        var found: [String] = []
        for row in try run([Query(ErasureStatements.waiting, [.int8Array(events)])])[0] { found.append(try row.stored(0)) }
        return found
    }

    /// Counts the rows of other tables that name a person.
    func rows(of person: AppUser) throws(PostgresError) -> [ErasureProof.Table] {
        let row = try run([Query(ErasureStatements.rows, [.stored(person.appID), .stored(person.userID)])])[0].one()
        var tables: [ErasureProof.Table] = []
        for (column, name) in ["devices", "persons", "topics", "bot_calls", "revocations"].enumerated() {
            tables.append(ErasureProof.Table(name: name, rows: Int(try row.int64(column))))
        }
        return tables
    }

    func ownsTables() throws(PostgresError) -> Bool { try run([Query(ErasureStatements.owns)])[0].one().bool(0) }

    /// Vacuums the tables. Each statement runs alone, because VACUUM cannot run in a transaction.
    func vacuum() throws(PostgresError) {
        for statement in ErasureStatements.vacuum { _ = try run([Query(statement)]) }
    }
}

private enum ErasureStatements {
    static let ends: StaticString = "SELECT coalesce(min(number), 1), coalesce(max(number), 0) FROM events"
    static let events: StaticString = """
        SELECT number, erased FROM events
        WHERE number > $1 AND number <= $2 AND app = (SELECT number FROM apps WHERE app_id = $3) AND user_id = $4 ORDER BY number
        """
    static let waiting: StaticString = "SELECT notifier FROM deliveries WHERE event = ANY ($1::bigint[]) AND state = 0"
    static let rows: StaticString = """
        SELECT (SELECT count(*) FROM devices WHERE devices.app = apps.app AND user_id = $2),
            (SELECT count(*) FROM persons WHERE persons.app = apps.app AND user_id = $2),
            (SELECT count(*) FROM topics WHERE topics.app = apps.app AND user_id = $2),
            (SELECT count(*) FROM bot_calls WHERE bot_calls.app = apps.app AND user_id = $2),
            (SELECT count(*) FROM revocations WHERE revocations.app = apps.app AND user_id = $2)
        FROM (SELECT (SELECT number FROM apps WHERE app_id = $1) AS app) AS apps
        """
    static let owns: StaticString = """
        SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'events'::regclass
        """
    static let vacuum: [StaticString] = [
        "VACUUM events", "VACUUM deliveries", "VACUUM attempts", "VACUUM devices", "VACUUM persons", "VACUUM topics", "VACUUM revocations",
        "VACUUM device_calls", "VACUUM bot_calls",
    ]
}
