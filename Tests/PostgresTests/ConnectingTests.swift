import Postgres
import TestSupport
import Testing

@Suite struct ConnectingTests {
    private let server: PostgresServer

    init() throws {
        server = try PostgresServer.shared.get()
    }

    private func refusal(_ url: String, by deadline: Deadline = .deferrable) -> PostgresError? {
        failure { () throws(PostgresError) in _ = try Connection(try ConnectionSettings(url), by: deadline) }
    }

    @Test func `connects by socket and by name`() throws {
        let bySocket = try Connection(try ConnectionSettings(server.socketURL), by: .deferrable)
        #expect(try bySocket.number("SELECT 1") == 1)
        #expect(bySocket.server == "\(server.directory):\(server.port)")
        #expect(!bySocket.isEncrypted)
        #expect(bySocket.serverVersion >= 150_000)
        let byName = try Connection(try ConnectionSettings("postgres://postgres@localhost:\(server.port)/postgres"), by: .deferrable)
        #expect(try byName.run("SELECT current_setting('application_name'), current_setting('client_encoding')")[0].string(0) == "deskgate")
        byName.close()
        #expect(failure { () throws(PostgresError) in try byName.run("SELECT 1") }?.message == "the connection was closed before")
        byName.close()
    }

    @Test func `passes options of the server`() throws {
        let settings = try ConnectionSettings(server.url()).with(serverOptions: "-c enable_seqscan=off")
        let connection = try Connection(settings, by: .deferrable)
        #expect(try connection.run("SHOW enable_seqscan")[0].string(0) == "off")
    }

    @Test func `connects to the database of that name`() throws {
        let urls = try (0..<2).map { _ in try server.makeDatabase() }
        for url in urls {
            let connection = try Connection(try ConnectionSettings(url), by: .deferrable)
            try connection.run("CREATE TABLE same_name (id int8)")
        }
    }

    @Test func `reports a port without a server`() throws {
        let closed = try ClosedPort()
        let error = refusal("postgres://u:verysecret@127.0.0.1:\(closed.port)/app")
        #expect(error?.failure == .notConnected)
        #expect(error?.message == #"connection to server at "127.0.0.1", port \#(closed.port) failed: Connection refused"#)
        #expect(error?.isRetryable == true)
        #expect(error?.remedy?.contains("a server must run at the address") == true)
        let noSocket = refusal("host=\(server.directory)/none user=postgres")
        #expect(noSocket?.isRetryable == true)
    }

    @Test func `reports a wrong password without quoting it`() throws {
        let password = "correct%20horse%2Fbattery%40staple"
        let settings = try ConnectionSettings(server.url(user: "guarded", password: password))
        #expect(try Connection(settings, by: .deferrable).number("SELECT 1") == 1)
        let error = refusal(server.url(user: "guarded", password: "verysecret"))
        #expect(error?.sqlState == .invalidPassword)
        #expect(error?.isRetryable == false)
        #expect(
            error.map { "\($0)" }
                == #"connection to server at "127.0.0.1", port \#(server.port) failed: password authentication failed for "#
                + #"user "guarded" (SQLSTATE 28P01); the password or the user in the URL is wrong: "#
                + "deskgate reload takes over another password, a restart another user")
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("secret"))
        let none = refusal(server.url(user: "guarded"))
        #expect(none?.sqlState == .invalidPassword)
    }

    @Test func `reports a missing database`() {
        let error = refusal(server.url(database: "nowhere"))
        #expect(error?.sqlState == "3D000")
        #expect(error?.isRetryable == false)
        #expect(error?.remedy == "create the database, or correct its name in the URL")
    }

    @Test func `reports an unknown host name`() {
        // A label has at most 63 bytes, so no name server is queried.
        let name = String(repeating: "a", count: 64) + ".invalid"
        let error = refusal("postgres://\(name)/app")
        #expect(error?.failure == .notResolved)
        #expect(error?.isRetryable == true)
        #expect(error?.remedy == "correct the host in the URL, or repair the name servers in /etc/resolv.conf")
        #expect(error?.message.hasPrefix("cannot resolve \(name): ") == true)
    }

    @Test func `ends at the deadline when no server responds`() throws {
        let silent = try SilentServer()
        let error = refusal("postgres://u@127.0.0.1:\(silent.port)/app", by: .after(milliseconds: 30))
        #expect(error?.failure == .noAnswer)
        #expect(error?.message == "connection to 127.0.0.1:\(silent.port) failed: no answer in time")
        #expect(error?.remedy == "the server hangs or is overloaded, or a firewall drops packets; look at the server")
        #expect(error?.isConnectionLost == true)
        #expect(error?.isRetryable == true)
    }

    @Test func `leaves time for the next host`() throws {
        let silent = try SilentServer()
        // The silent host uses half of the time; the rest is enough for any connection.
        let url = "postgres://postgres@127.0.0.1:\(silent.port),127.0.0.1:\(server.port)/postgres"
        let connection = try Connection(try ConnectionSettings(url), by: .after(milliseconds: 30_000))
        #expect(connection.server == "127.0.0.1:\(server.port)")
    }

    @Test func `reports the failure of each host`() throws {
        let closed = try ClosedPort()
        let error = refusal("postgres://postgres@127.0.0.1:\(closed.port),127.0.0.1:\(server.port)/nowhere")
        withExtendedLifetime(closed) {}
        #expect(error?.sqlState == "3D000")
        #expect(error?.message.contains("Connection refused, and connection to server at") == true)
    }

    @Test func `selects the server that accepts writes`() throws {
        let readOnly = try PostgresServer(.init("default_transaction_read_only=on"))
        let alone = refusal(readOnly.url(query: "target_session_attrs=read-write"))
        #expect(alone?.sqlState == .readOnlyTransaction)
        #expect(alone?.isRetryable == true)
        let url = "postgres://postgres@127.0.0.1:\(readOnly.port),127.0.0.1:\(server.port)/postgres"
        let connection = try Connection(try ConnectionSettings(url), by: .deferrable)
        #expect(connection.server == "127.0.0.1:\(server.port)")
        let anyone = try Connection(try ConnectionSettings("\(url)?target_session_attrs=any"), by: .deferrable)
        #expect(anyone.server == "127.0.0.1:\(readOnly.port)")
    }

    @Test func `reports too many connections`() throws {
        let small = try PostgresServer(.init("max_connections=4", "superuser_reserved_connections=0", "max_wal_senders=0"))
        let connections = try (0..<4).map { _ in try connect(to: small) }
        let error = refusal(small.url())
        #expect(error?.sqlState == "53300")
        #expect(error?.isRetryable == true)
        #expect(connections.count == 4)
    }
}
