internal import Core
internal import Postgres
internal import Time

/// One connection with its transactions and what it knows of the database. One thread at a time uses it.
final class PostgresSession {
    let connection: Connection
    /// The 16-byte id of this process in the database.
    let replica: [UInt8]
    private var numbers: [ByteKey: Int32] = [:]
    private var names: [Int32: String] = [:]
    /// The positions at which the claims of notifiers begin to search.
    var floors: [ByteKey: ClaimFloor] = [:]
    /// The number of the app that had the last turn in the claims of each notifier.
    var lastTurns: [ByteKey: Int32] = [:]
    /// The revocations of a committed version; nil before the first read. They end with the connection, because another server may lack
    /// some. Only the writer reads them, whose transactions write no revocation: one that is rolled back would stay here.
    private var knownRevocations: (all: KnownRevocations, version: Int64)?
    /// The apps that got their number in the transaction under way: it is theirs once that is committed.
    private var newApps: Set<ByteKey> = []

    /// Connects, on the thread that will use it.
    init(_ address: ConnectionSettings, replica: [UInt8]) throws(PostgresError) {
        connection = try Connection(address.with(serverOptions: Self.serverOptions), by: .after(milliseconds: Self.deferralMilliseconds))
        self.replica = replica
    }

    /// Lists of keys find their rows by indexes. A plan that was made while a table was nearly empty would otherwise read all of it, and is
    /// kept until statistics are gathered.
    ///
    /// The server ends the transaction of a process that vanished in the middle of it, with its machine or its network; otherwise the
    /// others would wait for its locks for ever. After four seconds, so that waiting calls do not time out; where the server itself waits
    /// in the middle of a round trip, after eleven.
    ///
    /// The planner treats forbidden plans as so expensive that it would compile such statements first, which takes 0.1 s.
    private static let serverOptions = """
        -c jit=off -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off \
        -c idle_in_transaction_session_timeout=\(TimeLimit.milliseconds(4000)) \
        -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c tcp_user_timeout=11000
        """

    /// The timeout of a round trip in milliseconds.
    static let deferralMilliseconds: UInt64 = TimeLimit.milliseconds(5000)
    private static let maximumTries = 5
    /// The timeout of each statement of a reading transaction, while the server does not know it.
    private var unsentLimit: UInt64?
    /// The timeout of a round trip in this session.
    var deferralMilliseconds = PostgresSession.deferralMilliseconds

    /// Runs statements in one round trip, in a transaction of their own unless one is under way.
    /// - Returns: the rows of each.
    func run(_ queries: [Query]) throws(PostgresError) -> [Rows] {
        guard let limit = unsentLimit.take() else { return try connection.pipeline(queries, by: deadline()) }
        return Array(try connection.pipeline([Self.limitQuery(milliseconds: limit)] + queries, by: deadline()).dropFirst())
    }

    /// Has the server end a later statement of the transaction that takes longer.
    static func limitQuery(milliseconds: UInt64) -> Query { Query(SessionStatements.limit, .stored("\(max(1, milliseconds))")) }

    /// Makes a transaction of what `body` asks, which sees one moment and changes nothing. The server ends a statement that takes longer
    /// than a limit, with the SQLSTATE `queryCanceled`. A role's or a session's own settings would be lost behind some poolers.
    func reading<Value>(milliseconds: UInt64, _ body: () throws(PostgresError) -> Value) throws(PostgresError) -> Value {
        defer { unsentLimit = nil }
        return try connection.transaction(.readOnly, by: deadline()) { () throws(PostgresError) in
            unsentLimit = milliseconds
            return try body()
        }
    }

    /// When a round trip that begins now must have ended.
    private func deadline() -> Deadline { .after(milliseconds: deferralMilliseconds) }

    /// Makes a transaction of what `body` reads and of what it returns to be written last. What another one was in the way of is done
    /// again.
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

    /// The revocations as of a version that the transaction under way has seen, or a later one. Reads what has changed since the last time;
    /// the first time all of them, in several round trips.
    func revocations(asOf version: Int64) throws(PostgresError) -> Revocations {
        // A lower version is another server's, as behind a pooler after a failover. 0 means any version.
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

    /// Returns the position at which the claims of a notifier begin to search now.
    func floor(_ notifier: String, _ now: MonotonicMilliseconds) -> ClaimFloor.Place { floors[ByteKey(notifier)]?.start(now) ?? .start }

    /// The number of an app, which gets one when it has none.
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

    /// Locks what counts the calls of apps, or of the service with app 0, in the order of their numbers.
    /// - Returns: the number of the last call of each.
    func lockWindows(_ apps: [Int32]) throws(PostgresError) -> [Int32: Int64] {
        var last: [Int32: Int64] = [:]
        let wanted = Parameter.int4Array(apps.sorted())
        for row in try run([Query(SessionStatements.addWindows, [wanted]), Query(SessionStatements.lockWindows, [wanted])])[1] {
            last[try row.int32(0)] = try row.int64(1)
        }
        return last
    }

    /// When a numbered call came; nil when it has been forgotten.
    func time(ofCall number: Int64, app: Int32) throws(PostgresError) -> UnixMilliseconds? {
        try run([Query(SessionStatements.call, [.int4(app), .int8(number)])])[0].first?.time(0)
    }

    /// Asks for the database's time, in Unix milliseconds.
    static var timeQuery: Query { Query(SessionStatements.time) }

    /// Returns the number of pending deliveries by all replicas' counts.
    func depth() throws(PostgresError) -> PendingByApp<Int32?> { try Self.depth(try run([Self.depthQuery])[0]) }

    /// The question for that, when it is asked with others.
    static var depthQuery: Query { Query(SessionStatements.depth, []) }

    /// The answer to `depthQuery`.
    static func depth(_ rows: Rows) throws(PostgresError) -> PendingByApp<Int32?> {
        var counts = PendingByApp<Int32?>()
        for row in rows { counts.add(Int(try row.int64(2)), to: ByteKey(try row.stored(0)), of: row.isNull(1) ? nil : try row.int32(1)) }
        return counts
    }
}

/// Finds out whether a transaction took effect when its COMMIT got no answer.
extension PostgresSession {
    /// Leaves a mark in the transaction under way. It is forgotten after ten minutes.
    static func mark(_ mark: UUIDv7) -> Query { Query(SessionStatements.mark, .uuid(mark.bytes)) }

    /// Whether a transaction with a mark was committed. If it is still under way this waits for its end; if it never came to leave the
    /// mark, it will find it taken and fail.
    func isMarked(_ mark: UUIDv7) throws(PostgresError) -> Bool {
        // It writes in any case, so that its own COMMIT waits until what it has found is on the standby too.
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
