extension PostgresError {
    /// The operator's remedy; nil when there is no general one.
    package var remedy: String? {
        switch failure {
        case .notVerified:
            "the certificate must be for the host's name and from an authority in sslrootcert; "
                + "sslmode in the URL sets the verification"
        case .notResolved: "correct the host in the URL, or repair the name servers in /etc/resolv.conf"
        case .notConnected, .refused:
            sqlState.flatMap { $0.remedy } ?? (failure == .notConnected ? Self.unreachable : nil)
        case .noAnswer: "the server hangs or is overloaded, or a firewall drops packets; look at the server"
        case .notReplicated:
            "the wait for the synchronous standby was cancelled: check the standby"
        case .timedOut:
            "the server is overloaded, cannot be reached, or waits for a lock or for a synchronous standby: deskgate store status names "
                + "them unless the server does not answer it, either; then look at the server"
        case .connectionLost, .value, .settings:
            nil
        }
    }

    private static let unreachable = "a server must run at the address, and firewalls must allow connections"
}

extension SQLState {
    /// The operator's remedy for a failure of this name.
    fileprivate var remedy: String? {
        switch code {
        case "28P01": "the password or the user in the URL is wrong: deskgate reload takes over another password, a restart another user"
        case "28000": "pg_hba.conf must allow this user, from this address and to this database"
        case "3D000": "create the database, or correct its name in the URL"
        case "42501": "have the owner of the tables run: deskgate store migrate --url - --grant ROLE, with the user of the URL as ROLE"
        case "42P01", "3F000": "the schema is missing: the URL names another database, or the migration has not run"
        case "53100": "free space on the server's disk"
        case "53200": "the server has no memory left: give it more, or lower its max_connections or work_mem"
        case "53300": "raise max_connections of the server, or connect fewer replicas"
        case "57P03": "the server is starting or stopping: wait"
        case "25006":
            "the server is a standby: name the primary in the URL as well; or default_transaction_read_only is on: switch it off"
        case "26000", "42P05": "a pooler that changes sessions between transactions needs prepared statements turned off"
        default: nil
        }
    }
}
