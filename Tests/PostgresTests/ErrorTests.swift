import Postgres
import TestSupport
import Testing

@Suite struct ErrorTests {
    @Test func `quotes no values`() throws {
        let connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE person (name text PRIMARY KEY CHECK (name <> 'none'), age int8)")
        let insert = Query("INSERT INTO person VALUES ($1)", .text("Ada Lovelace"))
        try connection.run(insert, by: .deferrable)
        let errors = [
            failure { () throws(PostgresError) in try connection.run(insert, by: .deferrable) },
            failure { () throws(PostgresError) in try connection.run(Query("SELECT $1::text::int8", .text("Ada Lovelace")), by: .deferrable)
            },
            failure { () throws(PostgresError) in
                try connection.run(Query("INSERT INTO person VALUES ($1)", .text("none")), by: .deferrable)
            },
        ]
        #expect(errors.map { $0?.sqlState } == ["23505", "22P02", "23514"])
        #expect(errors.map { $0?.constraint } == ["person_pkey", nil, "person_name_check"])
        #expect(errors.allSatisfy { $0.map { "\($0)" }?.contains("Ada") == false })
        #expect(
            errors[0].map { "\($0)" }
                == #"duplicate key value violates unique constraint "person_pkey" (SQLSTATE 23505), constraint person_pkey"#)
    }

    @Test func `contains remedies`() throws {
        let connection = try connect()
        let missing = failure { () throws(PostgresError) in try connection.run("SELECT * FROM nowhere") }
        #expect(missing?.remedy?.contains("migration") == true)
        try connection.run("SET ROLE guarded")
        let denied = failure { () throws(PostgresError) in try connection.run("SELECT * FROM pg_authid") }
        #expect(denied?.sqlState == "42501")
        #expect(denied?.remedy?.hasPrefix("have the owner of the tables run: deskgate store migrate --url - --grant ROLE") == true)
        #expect(denied?.isRetryable == false)
    }

    @Test func `reports statement timeouts`() throws {
        let connection = try connect()
        // The limit ends with the transaction of both statements, so it does not apply to later ones.
        let limited = [Query("SELECT set_config('statement_timeout', '20ms', true)"), Query("SELECT pg_sleep(60)")]
        let error = failure { () throws(PostgresError) in try connection.pipeline(limited, by: .deferrable) }
        #expect(error?.sqlState == .queryCanceled)
        #expect(error?.isConnectionLost == false)
        #expect(error?.commitIsInDoubt == false)
        #expect(try connection.number("SELECT 1") == 1)
    }

    @Test func `reports lock timeouts`() throws {
        let (first, second) = (try connect(), try connect(query: "options=-c%20lock_timeout%3D20ms"))
        try first.run("CREATE TABLE held (id int8)")
        try first.transaction(by: .deferrable) { () throws(PostgresError) in
            try first.run("LOCK TABLE held")
            let error = failure { () throws(PostgresError) in try second.run("SELECT * FROM held") }
            #expect(error?.sqlState == "55P03")
            #expect(error?.isRetryable == true)
        }
    }

    @Test func `reports read only transactions`() throws {
        let connection = try connect(query: "options=-c%20default_transaction_read_only%3Don")
        let error = failure { () throws(PostgresError) in try connection.run("CREATE TABLE refused (id int8)") }
        #expect(error?.sqlState == .readOnlyTransaction)
        #expect(error?.isRetryable == true)
    }

    @Test func `passes on notices`() throws {
        var notices: [Notice] = []
        let connection = try connect { notices.append($0) }
        let rows = try connection.run("DROP TABLE IF EXISTS never_made")
        #expect(rows.isEmpty)
        #expect(notices.map { $0.severity } == ["NOTICE"])
        #expect(notices.map { $0.message } == [#"table "never_made" does not exist, skipping"#])
        try connection.run("DO $$ BEGIN RAISE WARNING 'careful'; END $$")
        #expect(notices.last?.isWarning == true)
        #expect(notices.last?.sqlState == "01000")
    }

    @Test func `reports a commit as uncertain if the server does`() throws {
        let connection = try connect()
        let unknown = failure { () throws(PostgresError) in
            try connection.run("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40003'; END $$")
        }
        #expect(unknown?.commitIsInDoubt == true)
        #expect(unknown?.isRetryable == false)
        let lost = failure { () throws(PostgresError) in try connection.run("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '08006'; END $$") }
        #expect(lost?.commitIsInDoubt == false)
        #expect(lost?.isRetryable == true)
    }

    @Test func `reports a commit with any warning as uncertain`() throws {
        let connection = try connect()
        try connection.run("CREATE TEMPORARY TABLE item (id int8)")
        let error = failure { () throws(PostgresError) in
            try connection.transaction(by: .deferrable) { () throws(PostgresError) in
                try connection.run("INSERT INTO item VALUES (1)")
                try connection.commit([Query("DO $$ BEGIN RAISE WARNING 'careful'; END $$")], by: .deferrable)
            }
        }
        #expect(error?.failure == .notReplicated)
        #expect(error?.commitIsInDoubt == true)
        #expect(error?.isConnectionLost == false)
        #expect(error?.isRetryable == false)
        #expect(try connection.number("SELECT count(*) FROM item") == 1)
    }
}
