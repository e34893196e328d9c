package import Core
package import Postgres

/// What an operator does with a PostgreSQL store beside the service: check, migrate, look.
package enum PostgresDatabase {
    /// Checks whether a service could use the database, and changes nothing: what is missing in the schema a service adds when it starts.
    /// - Throws: why it could not, with the remedy.
    package static func check(_ settings: ConnectionSettings) throws(StoreError) {
        try use(settings) { session throws(PostgresError) in try session.obstacle() }.refuse()
    }

    /// Brings the schema to the present version; another process may do the same at the same time.
    /// - Parameters:
    ///   - settings: an address whose role may make tables.
    ///   - role: a role that may serve with them from now on; nil grants nothing.
    /// - Returns: the versions before and now.
    package static func migrate(_ settings: ConnectionSettings, grantingTo role: String?) throws(StoreError) -> (before: Int, now: Int) {
        try check(settings)
        return try use(settings) { session throws(PostgresError) in
            let before = try session.place().version
            try session.migrate()
            if let role { try session.grant(to: role) }
            return (before, try session.place().version)
        }
    }

    /// Connects for a process.
    static func connect(_ settings: ConnectionSettings, replica: [UInt8]) throws(StoreError) -> PostgresSession {
        do throws(PostgresError) {
            return try PostgresSession(settings, replica: replica)
        } catch {
            throw StoreError(error)
        }
    }

    /// Brings the schema to the present version, if the database can be used at all.
    static func prepare(_ session: PostgresSession) throws(StoreError) {
        let obstacle: String?
        do throws(PostgresError) {
            obstacle = try session.obstacle()
            if obstacle == nil { try session.migrate() }
        } catch {
            throw StoreError(error)
        }
        try obstacle.refuse()
    }

    /// Begins to work on a database, unless a copy reads or fills it.
    static func enter(_ session: PostgresSession) throws(StoreError) {
        let obstacle: String?
        do throws(PostgresError) {
            obstacle = try session.enter()
        } catch {
            throw StoreError(error)
        }
        try obstacle.refuse()
    }

    /// Connects for one purpose.
    static func use<Value>(
        _ settings: ConnectionSettings, _ body: (PostgresSession) throws(PostgresError) -> Value
    ) throws(StoreError) -> Value {
        do throws(PostgresError) {
            let session = try PostgresSession(settings, replica: [])
            defer { session.connection.close() }
            return try body(session)
        } catch {
            throw StoreError(error)
        }
    }
}

extension String? {
    /// Throws an error with this text, if there is one.
    fileprivate func refuse() throws(StoreError) {
        if let self { throw StoreError(.unavailable, self) }
    }
}
