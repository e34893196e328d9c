internal import Core
internal import Postgres
internal import Time

/// A connection with its transactions and caches. Only one thread may use it at a time.
final class PostgresSession {
    let connection: Connection
    /// The 16-byte id of this process in the database.
    let replica: [UInt8]
    private var numbers: [ByteKey: Int32] = [:]
    private var names: [Int32: String] = [:]
    /// The positions at which the claims of notifiers begin to search.
    var floors: [ByteKey: ClaimFloor] = [:]
    /// The number of the app whose turn was last in the claims of each notifier.
    var lastTurns: [ByteKey: Int32] = [:]
    /// The revocations of a committed version; nil before the first read. The cache is discarded with the connection, because another
    /// server may lack some revocations. Only the writer reads it. The writer's transactions create no revocations, so a rollback cannot
    /// leave an uncommitted revocation in the cache.
    private var knownRevocations: (all: KnownRevocations, version: Int64)?
    /// The apps that received a number in the current transaction. The numbers become permanent when it is committed.
    private var newApps: Set<ByteKey> = []

    /// Connects to the database. Must be called on the thread that will use the session.
    init(_ address: ConnectionSettings, replica: [UInt8]) throws(PostgresError) {
        connection = try Connection(address.with(serverOptions: Self.serverOptions), by: .after(milliseconds: Self.deferralMilliseconds))
        self.replica = replica
    }

    /// Disables sequential scans so that lists of keys use indexes. Otherwise a plan that was made while a table was nearly empty would
    /// read the whole table until statistics are gathered.
    ///
    /// Makes the server end the transaction of a process that vanished with its machine or network; otherwise other processes would wait
    /// for its locks indefinitely. The timeout is four seconds, so that waiting calls do not time out, or eleven seconds when the server
    /// waits in the middle of a round trip.
    ///
    /// Disables JIT. The planner assigns disabled plans so high a cost that it would first compile the statements, which takes 0.1 s.
    private static let serverOptions = """
        -c jit=off -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off \
        -c idle_in_transaction_session_timeout=\(TimeLimit.milliseconds(4000)) \
        -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c tcp_user_timeout=11000
        """

    /// The timeout of a round trip in milliseconds.
    static let deferralMilliseconds: UInt64 = TimeLimit.milliseconds(5000)
    private static let maximumTries = 5
    /// The statement timeout of the current read-only transaction in milliseconds; nil once it has been sent to the server.
    private var unsentLimit: UInt64?
    /// The timeout of a round trip in this session.
    var deferralMilliseconds = PostgresSession.deferralMilliseconds

    /// Runs statements in one round trip, in a separate transaction unless one is already open.
    /// - Returns: the rows of each statement.
    func run(_ queries: [Query]) throws(PostgresError) -> [Rows] {
        guard let limit = unsentLimit.take() else { return try connection.pipeline(queries, by: deadline()) }
        return Array(try connection.pipeline([Self.limitQuery(milliseconds: limit)] + queries, by: deadline()).dropFirst())
    }

    /// Sets the timeout of later statements in the current transaction.
    static func limitQuery(milliseconds: UInt64) -> Query { Query(SessionStatements.limit, .stored("\(max(1, milliseconds))")) }

    /// Runs `body` in a read-only transaction with one snapshot. The server ends a statement that exceeds the timeout with the SQLSTATE
    /// `queryCanceled`. The timeout is set in each transaction, because some poolers lose the settings of roles and sessions.
    func reading<Value>(milliseconds: UInt64, _ body: () throws(PostgresError) -> Value) throws(PostgresError) -> Value {
        defer { unsentLimit = nil }
        return try connection.transaction(.readOnly, by: deadline()) { () throws(PostgresError) in
            unsentLimit = milliseconds
            return try body()
        }
    }

    /// The deadline of a round trip that begins now.
    private func deadline() -> Deadline { .after(milliseconds: deferralMilliseconds) }

    /// Runs the reads of `body` and then the statements that it returns in one transaction. Repeats the transaction after a conflict with
    /// another one.
    func transaction<Value>(
        _ body: (PostgresSession) throws(PostgresError) -> (value: Value, last: [Query])
    ) throws(PostgresError) -> Value {
        var tries = 1
        while true {
            do throws(PostgresError) {
                let value = try connection.transaction(by: deadline()) { () throws(PostgresError) in
                    let (value, last) = try body(self)
                    try connection.commit(last, by: deadline())
                    return value
                }
                newApps = []
                return value
            } catch {
                forgetNewApps()
                guard error.isRetryable || error.isUniqueViolation, !error.isConnectionLost, tries < Self.maximumTries else { throw error }
                tries += 1
            }
        }
    }

    private func forgetNewApps() {
        for app in newApps {
            if let number = numbers.removeValue(forKey: app) { names[number] = nil }
        }
        newApps = []
    }

    /// Returns the revocations of a version that the current transaction has seen, or of a later one. Reads the changes since the previous
    /// call. The first call reads all revocations, in several round trips.
    func revocations(asOf version: Int64) throws(PostgresError) -> Revocations {
        // A lower version comes from another server, for example behind a pooler after a failover. 0 means any version.
        if let known = knownRevocations, version > 0, version < known.version { knownRevocations = nil }
        while let known = knownRevocations, known.version < version {
            let changes = try revocationChanges(since: known.version, .none)
            guard changes.isComplete, changes.version > known.version else {
                knownRevocations = nil
                break
            }
            var all = known.all
            all.change { set in for change in changes.changes { set.apply(change) } }
            knownRevocations = (all, changes.version)
        }
        if let knownRevocations { return knownRevocations.all.current }
        let read = try readRevocations()
        knownRevocations = read
        return read.all.current
    }

    /// Returns the position at which a notifier's claims currently begin to search.
    func floor(_ notifier: String, _ now: MonotonicMilliseconds) -> ClaimFloor.Place { floors[ByteKey(notifier)]?.start(now) ?? .start }

    /// Returns the number of an app, and assigns one if the app has none.
    func number(ofApp appID: String) throws(PostgresError) -> Int32 {
        if let number = numbers[ByteKey(appID)] { return number }
        let row = try run([Query(SessionStatements.addApp, [.stored(appID)])])[0].one()
        let number = try row.int32(0)
        (numbers[ByteKey(appID)], names[number]) = (number, appID)
        newApps.insert(ByteKey(appID))
        return number
    }

    func name(ofApp number: Int32) throws(PostgresError) -> String {
        if let name = names[number] { return name }
        let row = try run([Query(SessionStatements.appName, [.int4(number)])])[0].one()
        let name = try row.stored(0)
        names[number] = name
        return name
    }

    /// Locks the call counters of apps in the order of the apps' numbers. App 0 is the whole service.
    /// - Returns: the number of the last call of each app.
    func lockWindows(_ apps: [Int32]) throws(PostgresError) -> [Int32: Int64] {
        var last: [Int32: Int64] = [:]
        let wanted = Parameter.int4Array(apps.sorted())
        for row in try run([Query(SessionStatements.addWindows, [wanted]), Query(SessionStatements.lockWindows, [wanted])])[1] {
            last[try row.int32(0)] = try row.int64(1)
        }
        return last
    }

    /// Returns the time of a numbered call; nil when its row has been deleted.
    func time(ofCall number: Int64, app: Int32) throws(PostgresError) -> UnixMilliseconds? {
        try run([Query(SessionStatements.call, [.int4(app), .int8(number)])])[0].first?.time(0)
    }

    /// Queries the database's time, in Unix milliseconds.
    static var timeQuery: Query { Query(SessionStatements.time) }

    /// Returns the number of pending deliveries by notifier and app, summed over all replicas.
    func depth() throws(PostgresError) -> PendingByApp<Int32?> { try Self.depth(try run([Self.depthQuery])[0]) }

    /// Queries the depth; for use with other queries in one round trip.
    static var depthQuery: Query { Query(SessionStatements.depth, []) }

    /// Reads the result of `depthQuery`.
    static func depth(_ rows: Rows) throws(PostgresError) -> PendingByApp<Int32?> {
        var counts = PendingByApp<Int32?>()
        for row in rows { counts.add(Int(try row.int64(2)), to: ByteKey(try row.stored(0)), of: row.isNull(1) ? nil : try row.int32(1)) }
        return counts
    }
}

/// Detects whether a transaction was committed when its COMMIT got no answer.
extension PostgresSession {
    /// Stores a mark in the current transaction. The mark is deleted after ten minutes.
    static func mark(_ mark: UUIDv7) -> Query { Query(SessionStatements.mark, .uuid(mark.bytes)) }

    /// Returns whether a transaction with a mark was committed. If the transaction is still open, waits for its end. If the transaction has
    /// not stored its mark yet, this call stores the mark first, so that the transaction fails.
    func isMarked(_ mark: UUIDv7) throws(PostgresError) -> Bool {
        // Writes the mark in every case, so that the COMMIT of this query waits until the found mark is also on the standby.
        try run([Query(SessionStatements.find, .uuid(mark.bytes))])[0].one().bool(0)
    }

    /// Deletes marks that are no longer needed.
    static var forgetMarks: Query { Query(SessionStatements.forgetMarks) }
}

private enum SessionStatements {
    static let mark: StaticString = "INSERT INTO marks VALUES ($1, true, clock_timestamp())"
    static let find: StaticString = """
        INSERT INTO marks AS earlier VALUES ($1, false, clock_timestamp())
        ON CONFLICT (id) DO UPDATE SET at = earlier.at RETURNING is_committed
        """
    static let forgetMarks: StaticString = "DELETE FROM marks WHERE at < now() - interval '10 minutes'"

    static let limit: StaticString = "SELECT set_config('statement_timeout', $1, true)"
    static let addApp: StaticString = """
        INSERT INTO apps (app_id) VALUES ($1) ON CONFLICT (app_id) DO UPDATE SET app_id = excluded.app_id RETURNING number
        """
    static let appName: StaticString = "SELECT app_id FROM apps WHERE number = $1"
    static let addWindows: StaticString = """
        INSERT INTO windows (app, last) SELECT app, 0 FROM unnest($1::integer[]) AS wanted (app) ORDER BY app ON CONFLICT DO NOTHING
        """
    static let lockWindows: StaticString = "SELECT app, last FROM windows WHERE app = ANY ($1::integer[]) ORDER BY app FOR NO KEY UPDATE"
    static let call: StaticString = "SELECT at FROM window_calls WHERE app = $1 AND number = $2"
    static let time: StaticString = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    static let depth: StaticString = "SELECT notifier, app, sum(pending)::bigint FROM depth GROUP BY notifier, app"
}
