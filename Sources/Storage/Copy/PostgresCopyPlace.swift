internal import Core
internal import Postgres
internal import Time

/// The PostgreSQL database of a copy. Excludes services from it during the copy, and stores the number of the copy.
struct PostgresCopyPlace {
    /// The role of the database in a copy that is about to fill it.
    enum Target {
        /// An unfinished copy, with its number.
        case begun(Int64)
        case complete
        /// The database is ready for a new copy.
        /// - Parameter holdsUnfinished: whether the rows of an earlier unfinished copy must be deleted first.
        case new(holdsUnfinished: Bool)
    }

    private static let longestMilliseconds: UInt64 = 7 * 86_400_000

    private let session: PostgresSession
    private let address: ConnectionSettings
    let offset: ClockOffset
    let end: PostgresCopyEnd

    init(_ session: PostgresSession, address: ConnectionSettings, clock: @escaping @Sendable () -> UnixMilliseconds) throws(StoreError) {
        self.session = session
        self.address = address
        end = PostgresCopyEnd(session)
        try PostgresDatabase.refuse(
            try PostgresDatabase.explained { () throws(PostgresError) in session.surroundingObstacle(try session.place()) })
        offset = try PostgresDatabase.explained { () throws(PostgresError) in
            try session.migrate()
            return try session.clockOffset(clock)
        }
    }

    /// Runs `body` while no service is running and none can start. A separate connection holds a lock meanwhile.
    func withoutServices<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        let guardian = try PostgresDatabase.connect(address, replica: PostgresCopyEnd.replica)
        defer { guardian.connection.close() }
        var result: Result<Value, StoreError>?
        do throws(PostgresError) {
            try guardian.connection.transaction(by: .after(milliseconds: Self.longestMilliseconds)) { () throws(PostgresError) in
                if let obstacle = try guardian.excludeServices() {
                    result = .failure(obstacle)
                } else {
                    result = Result { () throws(StoreError) in try body() }
                }
            }
        } catch {
            // The result of `body` is valid even if this transaction fails, because the transaction changes nothing.
            guard result == nil else { return try result.settled() }
            throw StoreError(error)
        }
        return try result.settled()
    }

    /// Returns the role of the database in a copy.
    /// - Throws: when the database belongs to another copy or contains other data.
    func target(of mark: Int64?, beginsAnew: Bool) throws(StoreError) -> Target {
        switch try copy() {
        case let copy? where copy.role == .unfinished:
            if beginsAnew { return .new(holdsUnfinished: true) }
            guard copy.id == mark else { throw .copyOfOther }
            return .begun(copy.id)
        case let copy? where copy.role == .finished && copy.id == mark: return .complete
        default:
            guard try end.isEmpty() else { throw .copyTargetNotEmpty }
            try PostgresDatabase.refuse(try PostgresDatabase.explained { () throws(PostgresError) in try session.missingPrivilege() })
            return .new(holdsUnfinished: false)
        }
    }

    /// Makes the database the target of a copy. Services cannot use it until the copy is complete.
    func begin(_ copy: Int64, holdsUnfinished: Bool) throws(StoreError) {
        let query = PostgresSession.setCopy(copy, .unfinished)
        if holdsUnfinished { return try end.empty(and: query) }
        try PostgresDatabase.explained { () throws(PostgresError) in _ = try session.run([query]) }
    }

    /// Returns the number of the copy whose source the database is; nil when there is none, or a service has used the database since.
    /// - Throws: an error of the database, or an error when the database itself is an unfinished copy.
    func sourceOfCopy() throws(StoreError) -> Int64? {
        let copy = try copy()
        if copy?.role == .unfinished { throw .copySourceUnfinished }
        return copy?.role == .source ? copy?.id : nil
    }

    /// Makes the database the source of a copy, and marks the attempts in progress of dead services as interrupted.
    func becomeSource(of copy: Int64) throws(StoreError) {
        try PostgresDatabase.explained { () throws(PostgresError) in
            while try session.releaseLeases() > 0 {}
            _ = try session.run([PostgresSession.setCopy(copy, .source)])
        }
    }

    /// Checks, after all rows have been read, that no service has used the source meanwhile.
    func checkUnused(_ copy: Int64) throws(StoreError) {
        guard try sourceOfCopy() == copy else { throw .copySourceChanged }
        // Detects a service that was suspended for longer than its leases and then continued without a restart.
        try PostgresDatabase.refuse(try PostgresDatabase.explained { () throws(PostgresError) in try session.runningServices() })
    }

    private func copy() throws(StoreError) -> PostgresCopy? {
        try PostgresDatabase.explained { () throws(PostgresError) in try session.copy() }
    }
}

extension Optional {
    /// Returns the result of a body that has run.
    fileprivate func settled<Value>() throws(StoreError) -> Value where Wrapped == Result<Value, StoreError> {
        guard let self else { preconditionFailure("the body has not run") }
        return try self.get()
    }
}
