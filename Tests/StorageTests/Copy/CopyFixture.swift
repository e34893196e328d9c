import Core
import Postgres
import SQLite
import TestSupport
import Testing
import Time

@testable import Storage

/// A SQLite store with rows of every kind, an empty schema in a database, and a path for the copy back.
final class CopyFixture: Sendable {
    let directory: TemporaryDirectory
    let place: PostgresSchemaFixture
    /// The number of rows in a transaction; low, so that there are many transactions.
    static let rowsPerStep = 3

    var path: String { directory.path("store.db") }
    var back: String { directory.path("back.db") }

    init() throws {
        directory = try TemporaryDirectory()
        place = try PostgresSchemaFixture()
    }

    /// Limits that no call exceeds.
    static var settings: StoreSettings {
        var settings = StoreSettings()
        settings.devicesPerUser = 3
        return settings
    }

    /// Fills the SQLite store with random calls from a seed, and with some fixed ones.
    func fill(seed: Int = 1, calls: Int = 300) throws {
        let store = try SQLiteStore(path: path, settings: Self.settings, random: SharedGenerator())
        defer { store.close() }
        var script = RandomCalls(seed: seed)
        for _ in 0..<calls { _ = script.next()(store) }
        try Self.addRest(to: store)
    }

    static func addRest(to store: any Store) throws {
        let strange = "a\u{0}b\u{1}c\u{1}\u{1}"
        try store.put("T-strange", app: strange, user: strange, device: strange, at: 2000)
        try store.take(
            Sample(700_001).with {
                ($0.app, $0.user, $0.device) = (strange, strange, strange)
                $0.data = Array(0...255)
                $0.trace = TraceContext(traceID: 5, spanID: .max, isSampled: true)
            }.incoming(to: ["log", "http"]))
        // A device that was signed out, calls that are counted, and an attempt that is running at the end.
        try store.put("T-left", app: "app", user: "left", device: "d", at: 2000)
        try store.put(nil, app: "app", user: "left", device: "d", at: 2001)
        for scope in LimitRule.Scope.allCases {
            _ = try store.payload(.of("T-\(scope)", app: "counted", user: "\(scope)", at: 3000, .fiveMinutes(scope)))
        }
        try store.take(
            Sample(700_002).with {
                $0.notifier = "leased"
                $0.keepsOrder = true
            })
        try store.take(
            Sample(700_003).with {
                $0.notifier = "leased"
                $0.keepsOrder = true
            })
        _ = try store.claim("leased", at: 5000)
        try store.put("T-kept", app: "app", user: "kept", device: "d", at: 2000)
        // A device whose key is known, and one that a revocation has signed out.
        for user in ["keyed", "revoked"] {
            let claims = KeyClaims(KeyIdentity(keyID: .max, issuedAt: 7, salt: Array(200...215)))
            let key = Device.Key(appID: "app", userID: user, deviceID: "d")
            _ = try store.payload(Registration(key: key, type: "", token: try PushToken(user), now: 2000, rules: [], claims: claims))
        }
        try store.revoke(.sample(20, .user("revoked")))
        let rateLimits = [OutboundRateLimit(per: .person, max: 5, windowMilliseconds: 300_000)]
        _ = try store.claimDue(Claim(notifier: "registry", now: 5000, leaseMilliseconds: 1000, limit: 100, rateLimits: rateLimits))
        for revocation in Revocation.samples(appID: strange) { try store.revoke(revocation) }
        _ = try store.removeRevocation(Revocation.samples(appID: strange)[0].id)
        for kind in [OperatorCondition.Kind.queueLate, .diskLow] {
            let condition = OperatorCondition(OperatorCondition.Key(kind, strange), since: 4000, data: Array(0...255))
            _ = try store.raise(condition, announcing: nil)
        }
        for (number, name) in ["7", "", strange, strange + "2"].enumerated() {
            guard let identity = Report.identity(appID: strange, digest: "report-\(number)") else { continue }
            let conversation = ConversationState(ConversationState.Name("ticket", name), userID: strange, data: Array(0...255))
            let report = Report(
                appID: strange, identity: identity, id: Sample(700_010 + number).event.id, receivedAt: 4000,
                conversations: [conversation.name],
                userID: nil
            ) { _ in .decided(conversations: [conversation], incomingEvents: [], remark: nil) }
            _ = try store.take(report)
        }
        let ended = BotCall.Ending(.refused, statusCode: 404, reason: strange, at: 5000)
        for call in [
            BotCall.sample(1, key: 1, arguments: strange), .sample(2, key: 2, ended),
            .sample(3, app: strange, user: strange, at: 4000, ended),
        ] { try store.begin(call) }
        // A duplicate's record without its event.
        try store.take(Sample(700_004).incoming(to: []))
    }

    /// The copy of the filled store, or into another file.
    func copy(_ path: String? = nil, clock ahead: Int64 = 0) throws -> StoreCopy {
        var copy = StoreCopy(path: path ?? self.path, address: try place.settings())
        copy.rowsPerStep = Self.rowsPerStep
        copy.clock = { SystemClock.unixMilliseconds().advanced(by: -ahead) }
        return copy
    }

    func shared() throws -> PostgresStore {
        try PostgresStore(try place.settings(), settings: Self.settings, random: Self.laterNumbers())
    }

    func file(_ path: String) throws -> SQLiteStore {
        try SQLiteStore(path: path, settings: Self.settings, random: Self.laterNumbers())
    }

    /// The same random numbers each time, but not those of the filled store: ids must not repeat.
    private static func laterNumbers() -> SharedGenerator {
        let generator = SharedGenerator()
        for _ in 0..<10_000 { _ = generator.next() }
        return generator
    }

    /// The number of rows of all tables that one SQLite store has and the other has not.
    func difference(_ one: String, _ other: String) throws -> Int64 {
        let connection = try Connection(path: one, mode: .readOnly)
        try Statement(connection, "ATTACH ?1 AS other").run(other)
        var count: Int64 = 0
        for sql in Self.differences {
            try Statement(connection, sql).forEachRow { row throws(SQLiteError) in count += try row.int64(0) }
        }
        return count
    }

    /// All copied tables, with whole rows.
    private static let differences: [StaticString] = [
        "SELECT count(*) FROM (SELECT * FROM main.apps EXCEPT SELECT * FROM other.apps)",
        "SELECT count(*) FROM (SELECT * FROM main.events EXCEPT SELECT * FROM other.events)",
        "SELECT count(*) FROM (SELECT * FROM main.deliveries EXCEPT SELECT * FROM other.deliveries)",
        "SELECT count(*) FROM (SELECT * FROM main.attempts EXCEPT SELECT * FROM other.attempts)",
        "SELECT count(*) FROM (SELECT * FROM main.past_comments EXCEPT SELECT * FROM other.past_comments)",
        "SELECT count(*) FROM (SELECT * FROM main.devices EXCEPT SELECT * FROM other.devices)",
        "SELECT count(*) FROM (SELECT * FROM main.device_calls EXCEPT SELECT * FROM other.device_calls)",
        "SELECT count(*) FROM (SELECT * FROM main.windows EXCEPT SELECT * FROM other.windows)",
        "SELECT count(*) FROM (SELECT * FROM main.paced_calls EXCEPT SELECT * FROM other.paced_calls)",
        "SELECT count(*) FROM (SELECT * FROM main.revocations EXCEPT SELECT * FROM other.revocations)",
        "SELECT count(*) FROM (SELECT * FROM main.revocation_versions EXCEPT SELECT * FROM other.revocation_versions)",
        "SELECT count(*) FROM (SELECT * FROM main.conditions EXCEPT SELECT * FROM other.conditions)",
        "SELECT count(*) FROM (SELECT * FROM main.topics EXCEPT SELECT * FROM other.topics)",
        "SELECT count(*) FROM (SELECT * FROM main.bot_calls EXCEPT SELECT * FROM other.bot_calls)",
    ]
}

extension StoreCopy {
    /// Copies without a progress callback.
    func toPostgres() throws(StoreError) -> StoreCopyReport { try toPostgres { _ throws(StoreError) in } }

    /// Copies back without a progress callback.
    func toSQLite() throws(StoreError) -> StoreCopyReport { try toSQLite { _ throws(StoreError) in } }
}

/// All data of a store that its interface returns.
struct KnownState: Equatable {
    let stories: [DeliveryStory]
    let pending: [PendingDeliveries]
    let dead: [DeadDeliveries]
    let due: [UnixMilliseconds?]
    let devices: [Device]
    let revocations: [Revocation]
    let conditions: [OperatorCondition]
    let botCalls: [BotCall]

    init(_ store: any Store) throws {
        let all = try store.all()
        stories = try all.compactMap { try store.story(of: $0.id) }
        pending = try store.pending()
        dead = try store.deadInOrder()
        due = try ["log", "http", "registry", "leased"].map { try store.nextDue(notifier: $0) }
        revocations = try store.revocations(of: nil, after: nil, limit: 1000)
        conditions = try store.conditions()
        botCalls = try store.allCalls()
        devices = try (RandomCalls.apps + ["app", "counted", "a\u{0}b\u{1}c\u{1}\u{1}"]).flatMap {
            try store.devices(DeviceFilter(appID: $0), after: nil, limit: 1000)
        }
    }
}
