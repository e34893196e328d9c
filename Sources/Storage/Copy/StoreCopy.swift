package import Core
internal import POSIX
package import Postgres
internal import SQLite
package import Time

/// Copies a complete SQLite store to PostgreSQL, or a PostgreSQL store to SQLite.
///
/// An interrupted copy resumes when the same call is repeated. For this purpose, both stores contain the copy's random number: SQLite as
/// the mark of the last run, PostgreSQL in `copies`. A service that opens the source erases the number, because copied rows may then be out
/// of date. Services cannot open the target before the copy is complete.
///
/// The time that one machine keeps for itself (`Store.trustedTime`) is not copied, because a shared store has none.
package struct StoreCopy: Sendable {
    package let path: String
    /// The address of the PostgreSQL store. The role needs the privileges on tables and sequences that `store migrate --grant` grants.
    package let address: ConnectionSettings
    /// Whether to remove the rows of an unfinished copy, instead of continuing the copy or rejecting the call.
    package var beginsAnew = false
    /// The maximum number of rows that one transaction copies.
    package var rowsPerStep = 5000
    package var clock: @Sendable () -> UnixMilliseconds = { SystemClock.unixMilliseconds() }

    package init(path: String, address: ConnectionSettings) {
        self.path = path
        self.address = address
    }

    /// Copies the SQLite store to the PostgreSQL database, which must be empty or contain an unfinished copy of this store.
    ///
    /// Marks attempts in progress as interrupted, and makes their deliveries due immediately. The SQLite file is kept.
    /// - Parameter observe: called after each transaction; an error that it throws ends the copy.
    /// - Throws: the reason, with the remedy. When the numbers of rows differ at the end, the database remains an unfinished copy.
    package func toPostgres(
        observe: (StoreCopyProgress) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreCopyReport {
        guard File.exists(path) else { throw .noStore(path) }
        let lock = try StoreFile.asOwner(of: path) { () throws(StoreError) in try DatabaseLock(path) }
        defer { withExtendedLifetime(lock) {} }
        let mark = try CopyDraft.mark(of: path)
        return try withDatabase { place throws(StoreError) in
            let state = try place.target(of: mark, beginsAnew: beginsAnew)
            let (source, copy, isContinued) = try source(lock, state)
            if case .new(let holdsUnfinished) = state { try place.begin(copy, holdsUnfinished: holdsUnfinished) }
            let run = CopyRun(source: source, target: place.end, moment: { place.offset.databaseTime($0) }, limit: rowsPerStep)
            if case .complete = state { return StoreCopyReport(tables: try run.compared(), isContinued: true) }
            let tables = try run.all(observe)
            try place.end.finish(copy)
            return StoreCopyReport(tables: tables, isContinued: isContinued)
        }
    }

    /// Opens the SQLite store as the source of a copy.
    private func source(
        _ lock: DatabaseLock, _ state: PostgresCopyPlace.Target
    ) throws(StoreError) -> (end: SQLiteCopyEnd, copy: Int64, isContinued: Bool) {
        switch state {
        case .begun(let copy): return (try SQLiteCopyEnd(path), copy, true)
        case .complete: return (try SQLiteCopyEnd(path), 0, true)
        case .new:
            try prepare(lock)
            let (source, copy) = (try SQLiteCopyEnd(path), Self.newCopy())
            // Marks the source first: a target whose copy number is not in the source would be rejected.
            try source.setMark(copy)
            return (source, copy, false)
        }
    }

    /// Performs a service's first steps: checks for damage, migrates the schema, and marks interrupted attempts.
    private func prepare(_ lock: DatabaseLock) throws(StoreError) {
        let database = try DatabaseFile.open(
            path, lock: lock, movesAgain: false, settings: StoreSettings(), random: SystemRandomNumberGenerator()
        ).database
        defer { database.close() }
        try DatabaseFile.explained(path) { () throws(SQLiteError) in try database.endRun() }
    }

    /// Copies the PostgreSQL store to a new SQLite file. The file is renamed to `path` when the copy is complete.
    ///
    /// Marks attempts in progress as interrupted, and makes their deliveries due immediately. The other data of the database is unchanged.
    /// - Parameter observe: called after each transaction; an error that it throws ends the copy.
    /// - Throws: the reason, with the remedy. When the numbers of rows differ at the end, the file is not renamed.
    package func toSQLite(
        observe: (StoreCopyProgress) throws(StoreError) -> Void
    ) throws(StoreError) -> StoreCopyReport {
        try withDatabase { place throws(StoreError) in
            let draft = CopyDraft(path: path)
            let known = try place.sourceOfCopy()
            if File.exists(path) {
                guard let known, try CopyDraft.mark(of: path) == known else { throw .copyTargetExists(path) }
                draft.remove()
                return try compared(place)
            }
            let isContinued = try draft.continues(known, beginsAnew: beginsAnew)
            let copy = isContinued ? known ?? 0 : Self.newCopy()
            if !isContinued {
                try place.becomeSource(of: copy)
                try draft.create(copy)
            }
            return try draft.fill { target throws(StoreError) in
                let run = CopyRun(source: place.end, target: target, moment: { place.offset.localTime($0) }, limit: rowsPerStep)
                let tables = try run.all(observe)
                try place.checkUnused(copy)
                return StoreCopyReport(tables: tables, isContinued: isContinued)
            }
        }
    }

    /// Compares the row counts of a copy that an earlier call completed.
    private func compared(_ place: PostgresCopyPlace) throws(StoreError) -> StoreCopyReport {
        let lock = try DatabaseLock(path)
        defer { withExtendedLifetime(lock) {} }
        let run = CopyRun(source: place.end, target: try SQLiteCopyEnd(path), moment: { $0 }, limit: rowsPerStep)
        return StoreCopyReport(tables: try run.compared(), isContinued: true)
    }

    /// Returns a random number for a copy. It differs from 0 and 1, which `runs.closed` contains without a copy.
    private static func newCopy() -> Int64 { Int64.random(in: 2...Int64.max) }

    private func withDatabase<Value>(_ body: (PostgresCopyPlace) throws(StoreError) -> Value) throws(StoreError) -> Value {
        let session = try PostgresDatabase.connect(address, replica: PostgresCopyEnd.replica)
        defer { session.connection.close() }
        let place = try PostgresCopyPlace(session, address: address, clock: clock)
        return try place.withoutServices { () throws(StoreError) in
            // The connection was opened with root's rights, because libpq looks for certificates in root's home directory.
            try StoreFile.asOwner(of: path) { () throws(StoreError) in try body(place) }
        }
    }
}
