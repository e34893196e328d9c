import Core
import Glibc
import Postgres
import TestSupport
import Testing
import Time

@testable import Configuration

@Suite struct ConfigurationStoreTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        directory.environment["DATABASE_URL"] = Self.address
    }

    private static let address = "postgres://deskgate:\(TestSecret.text(3))@db1,db2:6432/desk"
    private static let postgres = #""store":{"type":"postgres","url":{"env":"DATABASE_URL"}}"#

    @Test func `a disk with less than the required free space causes a warning`() throws {
        let store = try directory.configuration(members: #""store":{"path":"store.db","minimum_free_megabytes":900}"#).store
        #expect(store.roomWarning(freeBytes: 900_000_000) == nil)
        let warning = try #require(store.roomWarning(freeBytes: 899_999_999))
        #expect(warning.path == "$.store.minimum_free_megabytes")
        #expect(warning.message.hasPrefix("only 899 MB are free on the store's disk: "))
    }

    @Test func `an address is a secret`() throws {
        guard case .postgres(let settings) = try directory.configuration(members: Self.postgres).store.kind else {
            Issue.record("not a PostgreSQL store")
            return
        }
        #expect("\(settings)" == "deskgate@db1:5432,db2:6432/desk")
        #expect(settings.usesPreparedStatements)
        try directory.scratch.write("url", Self.address)
        let file = try directory.configuration(members: #""store":{"type":"postgres","url":{"file":"url"},"prepared_statements":false}"#)
        guard case .postgres(let unprepared) = file.store.kind else {
            Issue.record("not a PostgreSQL store")
            return
        }
        #expect(!unprepared.usesPreparedStatements)
    }

    @Test(arguments: [
        (
            #""store":{"type":"postgres"}"#,
            #"$.store.url: missing; give the database's address as {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#
        ),
        (
            #""store":{"type":"postgres","url":"postgres://x@y/z"}"#,
            #"$.store.url: a secret must not be in the configuration; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, "#
                + #"or set "allow_insecure_secrets": true at the top on a laptop"#
        ),
        (
            #""store":{"type":"memory","url":{"env":"DATABASE_URL"}}"#, "$.store.url: a store in memory has no address; remove it"
        ),
    ])
    func `mistakes are reported`(members: String, problem: String) throws {
        #expect(try directory.problems(members: members) == [problem])
    }

    @Test func `an invalid address is not quoted`() throws {
        let secret = TestSecret.text(4)
        directory.environment["DATABASE_URL"] = "postgres://deskgate:\(secret)/x@db/desk"
        let problems = try directory.problems(members: Self.postgres)
        #expect(problems.count == 1)
        #expect(problems.allSatisfy { $0.hasPrefix("$.store.url: ") && !$0.contains(secret) })
    }

    @Test func `an invalid address does not prevent the use of the copy of the revocations`() throws {
        directory.environment["DATABASE_URL"] = "postgres://deskgate@db:none/desk"
        let members = #""store":{"type":"postgres","url":{"env":"DATABASE_URL"},"revocations_path":"copy"}"#
        let problems = try directory.problems(members: members)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("$.store.url: ") == true)
    }

    @Test(arguments: [
        ("path", "sqlite:///deskgate.db", "a path has no scheme; remove sqlite:, and // if that follows"),
        ("path", "unix:/deskgate.db", "a path has no scheme; remove unix:, and // if that follows"),
        ("path", ":memory:", #"a store in memory is "type": "memory" without a path; set that, or give the path of a file"#),
        ("revocations_path", "~/copy", "~ is not replaced here; write the path out"),
        ("path", "${HOME}/deskgate.db", "variables are not replaced here; write the path out"),
    ])
    func `a path in another program's form is rejected`(key: String, path: String, problem: String) throws {
        #expect(try directory.problems(members: #""store":{"\#(key)":"\#(path)"}"#) == ["$.store.\(key): \(problem)"])
    }

    @Test(arguments: [
        (#""path":"deskgate.db","revocations_path":"./deskgate.db""#, ["revocations_path: the same file as $.store.path"]),
        (#""path":"link","revocations_path":"target""#, ["revocations_path: the same file as $.store.path"]),
        (#""revocations_path":"config.json""#, ["revocations_path: the same file as this configuration"]),
        (#""revocations_path":"secrets/app-1.key""#, ["revocations_path: the same file as $.apps[0].keys[0].secret.file"]),
        (#""path":"secrets/app-1.key""#, ["path: the same file as $.apps[0].keys[0].secret.file"]),
        (
            #""type":"postgres","url":{"env":"DATABASE_URL"},"path":"a","revocations_path":"a""#,
            ["revocations_path: the same file as $.store.path"]
        ),
        (#""path":"a","revocations_path":"b""#, []),
    ])
    func `the files of the store must differ`(members: String, problems: [String]) throws {
        try directory.scratch.write("target", "")
        #expect(unsafe symlink("target", directory.scratch.path("link")) == 0)
        let expected = problems.map { "$.store.\($0); give a file of its own" }
        #expect(try directory.problems(members: "\"store\":{\(members)}") == expected)
    }

    @Test func `a store in memory has no copy of the revocations`() throws {
        let problems = try directory.problems(members: #""store":{"type":"memory","revocations_path":"copy"}"#)
        #expect(problems == ["$.store.revocations_path: a store in memory has no copy; remove it"])
    }

    @Test func `the other store is only a target for copies`() throws {
        let both = #","path":"/a/b","url":{"env":"DATABASE_URL"}}"#
        let postgres = try directory.configuration(members: #""store":{"type":"postgres""# + both).store
        #expect(postgres.other == .sqlite(path: "/a/b"))
        let sqlite = try directory.configuration(members: #""store":{"type":"sqlite""# + both).store
        #expect(sqlite.kind == .sqlite(path: "/a/b"))
        #expect(sqlite.other == postgres.kind)
    }

    @Test func `another password needs no restart, but another database does`() throws {
        let before = try directory.configuration(members: Self.postgres)
        directory.environment["DATABASE_URL"] = "postgres://deskgate:\(TestSecret.text(4))@db1,db2:6432/desk"
        #expect(before.fixedKeys(differingFrom: try directory.configuration(members: Self.postgres)) == [])
        directory.environment["DATABASE_URL"] = "postgres://deskgate:\(TestSecret.text(3))@db1,db2:6432/other"
        #expect(before.fixedKeys(differingFrom: try directory.configuration(members: Self.postgres)) == ["$.store.url"])
    }

    @Test(arguments: [("sslmode=require", 1), ("sslmode=verify-full", 0), ("connect_timeout=3", 0)])
    func `an unverified server causes a warning`(query: String, count: Int) throws {
        directory.environment["DATABASE_URL"] = "postgres://deskgate@db.example.com/desk?\(query)"
        let warnings = try directory.configuration(members: Self.postgres).warnings(now: UnixSeconds(rawValue: 1_800_000_000))
        #expect(warnings.map(\.path) == Array(repeating: "$.store.url", count: count))
    }

    @Test(arguments: [("", 1), (#""type":"sqlite","#, 0), (#""type":"postgres","#, 0)])
    func `an address without a type causes a warning`(type: String, count: Int) throws {
        let configuration = try directory.configuration(members: #""store":{\#(type)"url":{"env":"DATABASE_URL"}}"#)
        let warnings = configuration.reportedWarnings(now: UnixSeconds(rawValue: 1_800_000_000))
        #expect(warnings.map(\.path) == Array(repeating: "$.store.url", count: count))
        for warning in warnings {
            #expect(warning.message.english.hasPrefix("is not used, because the store is SQLite without $.store.type; "))
            #expect(warning.message.isTranslated)
        }
    }
}
