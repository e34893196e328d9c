import Core
import Postgres
import TestSupport
import Testing

@testable import Storage

@Suite struct PostgresRightsTests {
    private static let remedy = "; have its owner run: deskgate store migrate --url - --grant serving"

    private let server: PostgresServer
    private let serving: ConnectionSettings

    init() throws {
        server = try PostgresServer()
        try server.sql("CREATE ROLE serving LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        serving = try ConnectionSettings(server.url(user: "serving").utf8.span)
    }

    private func migrate() throws {
        _ = try PostgresDatabase.migrate(try ConnectionSettings(server.url().utf8.span), grantingTo: "serving")
        try PostgresDatabase.check(serving)
    }

    private func warning() throws -> String? { try PostgresDatabase.report(serving).server?.warnings.first }

    @Test(arguments: ["SELECT", "INSERT", "UPDATE", "DELETE"])
    func `a revoked privilege is detected`(_ right: String) throws {
        try migrate()
        #expect(try warning() == nil)
        try server.sql("REVOKE \(right) ON events FROM serving")
        let reason = "serving may not read and write every table of the schema: events\(Self.remedy)"
        #expect(throws: StoreError.self) { try PostgresDatabase.check(serving) }
        #expect(try warning() == reason)
        let failure = #expect(throws: StoreError.self) { try PostgresStore(serving, replica: nil, settings: StoreSettings()) }
        #expect(failure?.description == reason)
        try migrate()
        #expect(try warning() == nil)
    }

    /// The check includes tables that a later version adds to the schema.
    @Test func `every table of the schema is checked`() throws {
        try migrate()
        try server.sql("REVOKE DELETE ON ALL TABLES IN SCHEMA public FROM serving")
        let session = try PostgresSession(try ConnectionSettings(server.url().utf8.span), replica: [])
        defer { session.connection.close() }
        let all = try session.run([
            Query(
                """
                SELECT string_agg(tablename::text, ', ' ORDER BY tablename) FROM pg_tables
                WHERE schemaname = 'public' AND tablename <> 'deskgate_versions'
                """)
        ])
        let tables = try all[0].one().string(0)
        #expect(try warning() == "serving may not read and write every table of the schema: \(tables)\(Self.remedy)")
    }

    @Test func `only the store that creates the schema is new`() throws {
        let address = try ConnectionSettings(server.url().utf8.span)
        for isNew in [true, false] {
            let store = try PostgresStore(address)
            #expect(store.isNew == isNew)
            store.close()
        }
    }

    @Test func `a table of another program in the schema is ignored`() throws {
        try migrate()
        try server.sql("CREATE TABLE others (id bigint)")
        #expect(try warning() == nil)
    }

    @Test func `a read-only role causes a warning`() throws {
        try migrate()
        try server.sql("ALTER ROLE serving SET default_transaction_read_only = on")
        #expect(try warning()?.hasPrefix("this server only reads: ") == true)
        #expect(try warning()?.hasSuffix("or switch that setting off") == true)
    }

    @Test func `the remedy for a schema that the role cannot create names its owner`() throws {
        let failure = #expect(throws: StoreError.self) { try PostgresDatabase.report(serving) }
        #expect(failure?.description == "there is no schema, and serving may not make tables\(Self.remedy)")
    }
}
