internal import Crypto

/// The address of a database: a URL or libpq's `keyword=value` text, with the defaults of this service
/// (<https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS>).
///
/// Descriptions and errors never contain a password. Missing parts come from the defaults below, then from libpq's environment variables.
package struct ConnectionSettings: Sendable, Equatable {
    /// The file of certificate authorities for the server's certificate when `sslrootcert` is not set: the file of Debian's
    /// `ca-certificates`. libpq 15 does not support the authorities of the system, and would look in the home directory.
    package static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

    /// libpq's options by keyword, without hosts and secrets.
    private(set) var options: [String: String]
    /// The hosts in the order in which they are tried; at least one.
    let hosts: [ServerHost]
    /// libpq's secret parameters, each terminated by a NUL: `password` and `sslpassword`.
    let secrets: [String: SecretBytes]
    /// Whether each statement is prepared once per connection. False behind a pooler that gives each transaction another session
    /// (PgBouncer's transaction mode).
    package var usesPreparedStatements = true

    /// Parses an address.
    /// - Parameter text: `postgres://…`, `postgresql://…` or `keyword=value …`, in UTF-8.
    /// - Throws: a `settings` error that quotes nothing of the text: if a password contains a `/`, `?` or `@` that is not percent-encoded,
    ///   it becomes part of other fields.
    package init(_ text: Span<UInt8>) throws(PostgresError) {
        let address = try AddressText.parse(text)
        hosts = try ServerHost.list(address.options)
        secrets = address.secrets
        options = address.options.filter { !["host", "hostaddr", "port"].contains($0.key) }
        try check()
        setDefaults()
    }

    /// Returns the settings with additional command-line options for the server session, such as `-c enable_seqscan=off`. PgBouncer rejects
    /// them unless its configuration ignores them.
    package func with(serverOptions: String) -> ConnectionSettings {
        var copy = self
        copy.options["options"] = [options["options"], serverOptions].compactMap { $0 }.joined(separator: " ")
        return copy
    }

    /// Whether every host is this machine: a Unix socket, `localhost`, 127.0.0.0/8 or ::1.
    package var isLocal: Bool { hosts.allSatisfy { $0.isLocal } }

    /// Whether `sslmode` does not verify the server's certificate, so that an attacker on the network could read and change all data. The
    /// operator should be warned.
    package var isUnverified: Bool {
        !isLocal && !["verify-ca", "verify-full"].contains(options["sslmode"] ?? "prefer")
    }

    /// The timeout of connecting to one host, in milliseconds (`connect_timeout`); nil when only the deadline applies.
    var attemptMilliseconds: UInt64? {
        // libpq interprets 0 and negative values as no limit, and 1 as 2 seconds.
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
            throw PostgresError(.settings, "the address must not contain service or replication; list the options in the address instead")
        }
        guard options["dbname"]?.utf8.contains(UInt8(ascii: "@")) != true else { throw AddressText.misread("the database's name has an @") }
        guard (options["user"] ?? "").utf8.count <= 63, (options["dbname"] ?? "").utf8.count <= 63 else {
            throw PostgresError(.settings, "names of users and databases have at most 63 bytes")
        }
    }

    private mutating func setDefaults() {
        // Overrides the environment, because this module decodes text as UTF-8.
        options["client_encoding"] = "UTF8"
        setDefault("application_name", "deskgate")
        if hosts.count > 1 { setDefault("target_session_attrs", "read-write") }
        if !isLocal { setDefault("sslmode", "verify-full") }
        let verifies = ["verify-ca", "verify-full"].contains(options["sslmode"] ?? "prefer")
        // `system` is the name of the system's authorities since PostgreSQL 16.
        if options["sslrootcert"] == "system" { options["sslrootcert"] = Self.systemAuthorities }
        if verifies { setDefault("sslrootcert", Self.systemAuthorities) }
        // Disables the client certificate, unless the address sets one: libpq would look for it in the home directory, and fail where that
        // directory is not readable, for example under systemd's ProtectHome=.
        setDefault("sslcert", "/dev/null/none")
        // Disables Kerberos encryption, which has its own verification and ignores sslmode.
        setDefault("gssencmode", "disable")
        // An unresponsive peer is detected within 30 seconds, whether a response or an acknowledgement is missing.
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

    /// Empty, so that `dump` and test reports show only the description.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
