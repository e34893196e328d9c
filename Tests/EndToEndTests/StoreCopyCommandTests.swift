import Core
import JSON
import Storage
import TestSupport
import Testing
import Threading
import Time

/// `deskgate store copy`, as an operator uses it; `StoreCopyTests` test the copied data.
@Suite struct StoreCopyCommandTests {
    private static let count = 10_000
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
        try configure(type: "sqlite")
    }

    private func configure(type: String, path: String = "deskgate.db") throws {
        try workspace.configure([
            "store": [
                "type": .string(type), "path": .string(path), "url": ["file": "url"], "minimum_free_megabytes": 0,
            ],
            "apps": [
                ["app_id": .string(Workspace.app), "keys": [["id": 1, "secret": ["file": "app-1.key"]]], "notifiers": ["log"]]
            ],
            "notifiers": ["log": ["type": "log"]],
        ])
    }

    private func run(_ arguments: String...) throws -> Deskgate.Result {
        try Deskgate.run(["store", "copy", "--config", workspace.configuration] + arguments)
    }

    private func fill(_ count: Int) throws {
        let store = try SQLiteStore(path: workspace.directory.path("deskgate.db"))
        defer { store.close() }
        let accepted = Monitor(0)
        func wait(for count: Int) throws {
            try #require(accepted.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 >= count ? true : nil } == true)
        }
        for number in 0..<count {
            var random = SeededGenerator(seed: UInt64(number))
            let event = Event(
                id: UUIDv7(milliseconds: 1_773_130_512_000, using: &random), kind: .commentCreated,
                identity: Event.Identity(
                    appID: Workspace.app, ticketID: 1, commentID: HelpDeskID(Int64(number + 1)), deviceID: ""),
                userID: "somebody", deviceType: nil, occurredAt: 1_773_130_512_000, receivedAt: 1_773_130_512_000,
                expiresAt: .max, data: Array("{\"message\":\"\(Markers.prefix)-what-support-wrote\"}".utf8))
            store.accept(IncomingEvent(event, to: [Subscription(notifier: "log", keepsOrder: true)], token: nil), telling: .nobody) {
                result in
                if (try? result.get()) == .accepted { accepted.update { $0 += 1 } }
            }
            // The store's queue is limited.
            if number % 5000 == 4999 { try wait(for: number + 1) }
        }
        try wait(for: count)
    }

    /// A killed copy continues, its target serves, and all data can be copied back.
    @Test func `copies there and back`() throws {
        let database = try PostgresServer()
        try workspace.write("url", database.url(), mode: 0o600)
        try fill(Self.count)
        try stopDeliveries(in: database)
        let arguments = ["store", "copy", "--config", workspace.configuration, "--to", "postgres"]
        let process = try ChildProcess(Deskgate.path, arguments.map { Array($0.utf8) })
        _ = try process.errors.line(containing: "events: \(Self.count) of \(Self.count)")
        process.send(9)
        _ = try process.waitForEnd()
        #expect(try database.sql("SELECT count(*) FROM events", "SELECT count(*) FROM deliveries") == "\(Self.count)\n0\n")
        try letDeliveriesGoOn(in: database)

        let there = try run("--to", "postgres", "--json")
        #expect(there.code == 0, "\(there.errors)")
        #expect(try there.json.string("to") == "postgres")
        #expect(try there.json["continued"] == .bool(true))
        #expect(try there.json.integer("rows") == Int64(1 + 2 * Self.count))
        guard case .object(let tables)? = try there.json["tables"] else { throw ChildProcess.Failure.missingOutput }
        #expect(tables.keys.prefix(3) == ["apps", "events", "deliveries"])
        #expect(tables.integer("events") == Int64(Self.count))
        #expect(tables.integer("deliveries") == Int64(Self.count))

        try configure(type: "postgres")
        let listing = try Deskgate.run("deliveries", "list", "--config", workspace.configuration, "--comment", "1", "--json")
        #expect(listing.code == 0 && listing.output.contains("\"pending\""), "\(listing.errors)")

        try configure(type: "postgres", path: "back.db")
        let back = try run("--to", "sqlite")
        #expect(back.code == 0, "\(back.errors)")
        #expect(back.output.hasSuffix("\(1 + 2 * Self.count) rows are in both stores; now set store.type to sqlite\n"))
        #expect(back.output.hasPrefix("apps: 1\nevents: \(Self.count)\ndeliveries: \(Self.count)\n"))
        #expect(back.errors.contains("deliveries: \(Self.count) of \(Self.count)\n"), "progress is told")
        let store = try SQLiteStore(path: workspace.directory.path("back.db"))
        defer { store.close() }
        #expect(try store.pending().map(\.count) == [Self.count])
    }

    /// Makes a copy wait when it reaches the deliveries, for longer than it lives.
    private func stopDeliveries(in database: PostgresServer) throws {
        try configure(type: "postgres")
        #expect(try Deskgate.run("store", "migrate", "--config", workspace.configuration).code == 0)
        try configure(type: "sqlite")
        try database.sql(
            """
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM pg_sleep(3600);
                RETURN NULL;
            END $$
            """, "CREATE TRIGGER hold BEFORE INSERT ON deliveries FOR EACH STATEMENT EXECUTE FUNCTION hold()")
    }

    /// Ends the wait after the copy was killed, and waits until the server has detected its end.
    private func letDeliveriesGoOn(in database: PostgresServer) throws {
        let others = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        try database.sql("SELECT pg_terminate_backend(pid) \(others)")
        #expect(eventually { (try? database.sql("SELECT count(*) \(others)")) == "0\n" })
        try database.sql("DROP TRIGGER hold ON deliveries", "DROP FUNCTION hold()")
    }

    @Test func `reports problems`() throws {
        let place = try PostgresSchemaFixture()
        defer { withExtendedLifetime(place) {} }
        try workspace.write("url", place.url(), mode: 0o600)
        try fill(1)
        let direction = try run("--to", "memory")
        #expect(direction.code == 2)
        #expect(direction.errors.hasPrefix("deskgate: --to: expected postgres or sqlite."))
        let missing = try run()
        #expect(missing.code == 2)
        #expect(missing.errors.hasPrefix("deskgate: --to STORE is missing"))
        let taken = try run("--to", "sqlite", "--json")
        #expect(taken.code == 2)
        #expect(taken.errors.isEmpty)
        #expect(
            try taken.json.string("message")
                == "not copied: \(workspace.directory.path("deskgate.db")) exists already; move it away, or name another store.path")

        try workspace.configure(["store": ["minimum_free_megabytes": 0]])
        let one = try run("--to", "postgres")
        #expect(one.code == 2)
        #expect(one.errors.hasPrefix("deskgate: the configuration must contain both stores: store.path and store.url\n"))
    }
}
