import TestSupport
import Testing

@testable import Postgres

@Suite struct SettingsTests {
    private func options(_ url: String) throws(PostgresError) -> [String: String] {
        try ConnectionSettings(url).options
    }

    @Test(arguments: [
        "postgres://db.example/app", "postgresql://u@10.0.0.1:6432/app", "host=db.example dbname=app",
        "postgres://localhost,db.example/app",
        "postgres://u@[2001:db8::1]/app", "host=localhost hostaddr=10.0.0.1", "postgres://127.0.0.1.example/app",
    ])
    func `verifies servers on other machines`(url: String) throws {
        let settings = try ConnectionSettings(url)
        #expect(!settings.isLocal)
        #expect(!settings.isUnverified)
        #expect(settings.options["sslmode"] == "verify-full")
        #expect(settings.options["sslrootcert"] == "/etc/ssl/certs/ca-certificates.crt")
        #expect(settings.options["gssencmode"] == "disable")
        #expect(settings.options["sslcert"] == "/dev/null/none")
    }

    @Test(arguments: [
        "postgres:///app", "postgres://localhost/app", "postgres://LocalHost:1/app", "postgres://127.0.0.1/app",
        "postgres://127.8.9.10/app",
        "postgres://[::1]/app", "host=/var/run/postgresql", "postgres://%2Ftmp/app", "postgres://localhost,127.0.0.1/app",
        "host=db.example hostaddr=127.0.0.1",
    ])
    func leavesThisMachineToLibpq(url: String) throws {
        let settings = try ConnectionSettings(url)
        #expect(settings.isLocal)
        #expect(!settings.isUnverified)
        #expect(settings.options["sslmode"] == nil)
        #expect(settings.options["sslrootcert"] == nil)
    }

    @Test(arguments: [
        ("disable", true), ("allow", true), ("prefer", true), ("require", true), ("verify-ca", false), ("verify-full", false),
    ])
    func `uses the given mode`(mode: String, isUnverified: Bool) throws {
        let settings = try ConnectionSettings("postgres://db.example/app?sslmode=\(mode)")
        #expect(settings.options["sslmode"] == mode)
        #expect(settings.isUnverified == isUnverified)
        #expect(try !ConnectionSettings("postgres://localhost/app?sslmode=\(mode)").isUnverified)
        #expect(settings.options["sslrootcert"] == (isUnverified ? nil : ConnectionSettings.systemAuthorities))
    }

    @Test func `uses the given authorities`() throws {
        #expect(try options("postgres://db.example/?sslrootcert=/etc/own.crt")["sslrootcert"] == "/etc/own.crt")
        #expect(try options("postgres://db.example/?sslcert=/etc/own.crt")["sslcert"] == "/etc/own.crt")
        #expect(try options("postgres://db.example/?sslrootcert=system")["sslrootcert"] == ConnectionSettings.systemAuthorities)
    }

    @Test func `sets defaults`() throws {
        let one = try options("postgres://db.example/app")
        #expect(one["application_name"] == "deskgate")
        #expect(one["client_encoding"] == "UTF8")
        #expect(one["target_session_attrs"] == nil)
        #expect(one["keepalives_idle"] == "10")
        #expect(one["tcp_user_timeout"] == "30000")
        let more = try options("postgres://a,b/app?application_name=other&client_encoding=LATIN1&tcp_user_timeout=7")
        #expect(more["application_name"] == "other")
        #expect(more["client_encoding"] == "UTF8")
        #expect(more["target_session_attrs"] == "read-write")
        #expect(more["tcp_user_timeout"] == "7")
        #expect(try options("postgres://a,b/app?target_session_attrs=any")["target_session_attrs"] == "any")
    }

    @Test func `adds options of the server`() throws {
        let settings = try ConnectionSettings("postgres://localhost/app?options=-c%20jit%3Doff")
        #expect(settings.with(serverOptions: "-c enable_seqscan=off").options["options"] == "-c jit=off -c enable_seqscan=off")
        #expect(try ConnectionSettings("postgres:///").with(serverOptions: "-c a=b").options["options"] == "-c a=b")
    }

    @Test func `parses hosts`() throws {
        let settings = try ConnectionSettings("postgres://u:secret@a:1,[::1]:2,%2Ftmp/app")
        #expect(settings.hosts.map { $0.port } == [1, 2, 5432])
        #expect("\(settings)" == "u@a:1,[::1]:2,/tmp:5432/app")
        #expect("\(try ConnectionSettings("host=a,b port=7"))" == "a:7,b:7")
        #expect("\(try ConnectionSettings("dbname=app"))" == "/var/run/postgresql:5432/app")
    }

    @Test func `never shows the password`() throws {
        let settings = try ConnectionSettings("postgres://u:verysecret@db.example/app?sslpassword=verysecret")
        #expect(settings.secrets.keys.sorted() == ["password", "sslpassword"])
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped, "\(settings.options)"] { #expect(!text.contains("secret")) }
    }

    @Test(arguments: [
        "jdbc:postgresql://", "mysql://", "postgresql+asyncpg://", "https://", "Postgres://",
    ])
    func `another scheme is reported`(scheme: String) {
        let error = failure { () throws(PostgresError) in _ = try ConnectionSettings("\(scheme)u:secret@db.example/app") }
        let message =
            "the address begins with \(scheme), but the store is PostgreSQL; give postgres://USER:PASSWORD@HOST/DATABASE"
        #expect(error?.description == message)
    }

    @Test(arguments: [
        ("schema=public", "schema", "; to select a schema, use ?options=-csearch_path%3DNAME"),
        ("sslmode=disable&currentSchema=a", "currentSchema", "; to select a schema, use ?options=-csearch_path%3DNAME"),
        ("pgbouncer=true", "pgbouncer", ""),
    ])
    func `another library's parameter is reported`(query: String, name: String, remedy: String) {
        let error = failure { () throws(PostgresError) in _ = try ConnectionSettings("postgres://u:secret@localhost/app?\(query)") }
        let message = "the address has the parameter \(name), which PostgreSQL does not know; remove it\(remedy)"
        #expect(error?.description == message)
    }

    @Test func `the replacement parameter for a schema is accepted`() throws {
        #expect(try options("postgres://localhost/app?options=-csearch_path%3Dshop")["options"] == "-csearch_path=shop")
    }

    @Test(arguments: [
        "postgres://u:sec/ret@db.example/app", "postgres://u:sec@ret@db.example/app", "postgres://u:@secret@db.example/app",
        "postgres://u:sec%ret@db.example/app", "postgres://u:1/secret@db.example/app", "postgres://u:sec/re?t=x@db.example/app",
        "postgres://u:p@db.example:secret/app", "postgres://db.example/app?secret=1", "postgres://db.example/app?sslmode=secret",
        "postgres://db.example/app?service=secret", "host='secret", "secret", "host=a,b port=1,2,3 user=secret", "host=a hostaddr=secret",
        "",
        "postgres://u:sec\0ret@db.example/app", "postgres://[secret/app", "postgres://u@sec%00ret/app", "postgres://u@db:0/secret",
        "mysql://u:sec@ret/app", "sec_ret://u@db/app",
    ])
    func `an error does not quote the address`(url: String) {
        let error = failure { () throws(PostgresError) in _ = try ConnectionSettings(url) }
        #expect(error?.failure == .settings)
        for part in ["sec", "ret"] { #expect(error.map { "\($0)" }?.contains(part) == false) }
    }
}
