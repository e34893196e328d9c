package import Core
package import Postgres

/// The operator's commands on a PostgreSQL store without the service: check, migrate, report.
package enum PostgresDatabase {
    /// Checks whether a service could use the database, and changes nothing: a service adds missing parts of the schema when it starts.
    /// - Throws: the reason why a service could not, with the remedy.
    package static func check(_ settings: ConnectionSettings) throws(StoreError) {
        try refuse(try use(settings) { session throws(PostgresError) in try session.obstacle() })
    }

    /// Migrates the schema to the current version; another process may do the same at the same time.
    /// - Parameters:
    ///   - settings: an address whose role may create tables.
    ///   - role: a role that gets the privileges of a service; nil grants nothing.
    /// - Returns: the versions before and after.
    package static func migrate(_ settings: ConnectionSettings, grantingTo role: String?) throws(StoreError) -> (before: Int, now: Int) {
        let session = try connect(settings, replica: [])
        defer { session.connection.close() }
        let before = try prepare(session)
        return try explained { () throws(PostgresError) in
            if let role { try session.grant(to: role) }
            return (before, try session.place().version)
        }
    }

    static func connect(_ settings: ConnectionSettings, replica: [UInt8]) throws(StoreError) -> PostgresSession {
        try explained { () throws(PostgresError) in try PostgresSession(settings, replica: replica) }
    }

    /// Migrates the schema to the current version, if the database can be used.
    /// - Returns: the version before; 0 without a schema.
    static func prepare(_ session: PostgresSession) throws(StoreError) -> Int {
        try refuse(try explained { () throws(PostgresError) in try session.obstacle() })
        return try explained { () throws(PostgresError) in try session.migrate() }
    }

    /// Starts to use a database, unless a copy reads or fills it.
    static func enter(_ session: PostgresSession) throws(StoreError) {
        try refuse(try explained { () throws(PostgresError) in try session.enter() })
    }

    static func use<Value>(
        _ settings: ConnectionSettings, _ body: (PostgresSession) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        try explained { () throws(PostgresError) in
            let session = try PostgresSession(settings, replica: [])
            defer { session.connection.close() }
            return try body(session)
        }
    }

    /// Runs `body`, and converts its error to a store's.
    static func explained<Value>(_ body: () throws(PostgresError) -> Value) throws(StoreError) -> Value {
        do throws(PostgresError) {
            return try body()
        } catch {
            throw StoreError(error)
        }
    }

    static func refuse(_ obstacle: StoreError?) throws(StoreError) {
        if let obstacle { throw obstacle }
    }
}
