internal import Crypto

/// The address of a database: a URL or libpq's `keyword=value` text, with this service's defaults
/// (<https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS>).
///
/// No description and no error shows a password. Missing parts come from the defaults below, then from libpq's environment variables.
package struct ConnectionSettings: Sendable, Equatable {
    /// The file of authorities that a server's certificate is verified with when `sslrootcert` is not given: those of Debian's
    /// `ca-certificates`. libpq 15 cannot ask OpenSSL for the system's, and would look in the home directory.
    package static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// libpq's options by keyword, without hosts and secrets.
    private(set) var options: [String: String]
    /// The hosts in the order in which they are tried; at least one.
    let hosts: [ServerHost]
    /// libpq's secret parameters, each with a NUL at its end: `password` and `sslpassword`.
    let secrets: [String: SecretBytes]
    /// Whether statements are prepared once a connection. False behind a pooler that gives each transaction another session (PgBouncer's
    /// transaction mode).
    package var usesPreparedStatements = true

    /// Reads an address.
    /// - Parameter text: `postgres://…`, `postgresql://…` or `keyword=value …`, in UTF-8.
    /// - Throws: a `settings` error that quotes nothing of the text, because a password with a `/`, `?` or `@` that is not percent-encoded
    /// ends   up in other parts.
    package init(_ text: Span<UInt8>) throws(PostgresError) {
        let address = try AddressText.parse(text)
        hosts = try ServerHost.list(address.options)
        secrets = address.secrets
        options = address.options.filter { !["host", "hostaddr", "port"].contains($0.key) }
        try check()
        setDefaults()
    }

    /// The same settings with more of the server's command-line options for the session, such as `-c enable_seqscan=off`; PgBouncer rejects
    /// them unless its configuration ignores them.
    package func with(serverOptions: String) -> ConnectionSettings {
        var copy = self
        copy.options["options"] = [options["options"], serverOptions].compactMap { $0 }.joined(separator: " ")
        return copy
    }

    /// Whether every host is this machine: a Unix socket, `localhost`, 127.0.0.0/8 or ::1.
    package var isLocal: Bool { hosts.allSatisfy { $0.isLocal } }

    /// Whether an attacker between this machine and the server could read and change everything, because `sslmode` verifies nothing: worth
    /// a warning to the operator.
    package var isUnverified: Bool {
        !isLocal && !["verify-ca", "verify-full"].contains(options["sslmode"] ?? "prefer")
    }

    /// The timeout of connecting to one host, in milliseconds (`connect_timeout`); nil when only the deadline counts.
    var attemptMilliseconds: UInt64? {
        // libpq takes 0 and what is negative for no limit, and 1 for 2 seconds.
        options["connect_timeout"].flatMap { Int32($0) }.flatMap { $0 > 0 ? UInt64(max($0, 2)) * 1000 : nil }
    }
}

extension ConnectionSettings {
    private static let sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

    private func check() throws(PostgresError) {
        if let mode = options["sslmode"], !Self.sslModes.contains(mode) {
            throw PostgresError(.settings, "sslmode must be one of \(Self.sslModes.joined(separator: ", "))")
        }
        guard options["service"] == nil, options["replication"] == nil else {
            throw PostgresError(.settings, "the address must not name a service or replication; write the options out")
        }
        guard options["dbname"]?.utf8.contains(UInt8(ascii: "@")) != true else { throw AddressText.misread("the database's name has an @") }
        guard (options["user"] ?? "").utf8.count <= 63, (options["dbname"] ?? "").utf8.count <= 63 else {
            throw PostgresError(.settings, "names of users and databases have at most 63 bytes")
        }
    }

    private mutating func setDefaults() {
        // Whatever else the environment says: text is taken for UTF-8 here.
        options["client_encoding"] = "UTF8"
        setDefault("application_name", "deskgate")
        if hosts.count > 1 { setDefault("target_session_attrs", "read-write") }
        if !isLocal { setDefault("sslmode", "verify-full") }
        let verifies = ["verify-ca", "verify-full"].contains(options["sslmode"] ?? "prefer")
        // PostgreSQL 16's name of the system's authorities.
        if options["sslrootcert"] == "system" { options["sslrootcert"] = Self.systemAuthorities }
        if verifies { setDefault("sslrootcert", Self.systemAuthorities) }
        // No certificate of our own, unless the address names one: libpq would look for it in the home directory, and fail where that may
        // not be read, as under systemd's ProtectHome=.
        setDefault("sslcert", "/dev/null/none")
        // Kerberos would be encrypted, and verified, in a way of its own that sslmode does not speak of.
        setDefault("gssencmode", "disable")
        // A silent peer is noticed in half a minute, whether it owes an answer or an acknowledgement.
        setDefault("keepalives", "1")
        setDefault("keepalives_idle", "10")
        setDefault("keepalives_interval", "5")
        setDefault("keepalives_count", "4")
        setDefault("tcp_user_timeout", "30000")
    }

    private mutating func setDefault(_ keyword: String, _ value: String) {
        if options[keyword] == nil { options[keyword] = value }
    }
}

extension ConnectionSettings: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// User, hosts and database, such as `deskgate@db1:5432,db2:5432/deskgate`.
    package var description: String {
        let user = options["user"].map { "\($0)@" } ?? ""
        let database = options["dbname"].map { "/\($0)" } ?? ""
        return user + hosts.map { $0.description }.joined(separator: ",") + database
    }

    package var debugDescription: String { description }

    /// Empty, so that `dump` and test reports show no more either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
