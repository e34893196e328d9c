package import Core
internal import POSIX
internal import SQLite
internal import Threading
package import Time

extension SQLiteStore {
    /// The number of events that one transaction erases.
    private static let eventsPerCommit = 200
    /// The interval of attempts to truncate a log that has readers, in milliseconds.
    private static let pollMilliseconds: UInt64 = 5

    package func erase(
        _ person: AppUser, now: UnixMilliseconds, telling audience: RegistryAudience
    ) throws(StoreError) -> Erasure {
        var erasure = Erasure()
        let filter = DeviceFilter(appID: person.appID, userID: person.userID)
        erasure.devices = try removeDevices(filter, .forgotten, now: now, telling: audience)
        try forEachStep(of: person) { found throws(StoreError) in
            try erasure.erase(found, perCommit: Self.eventsPerCommit) { events throws(StoreError) in
                try queue.perform { database throws(SQLiteError) in try database.erase(events, now: now) }
            }
        }
        try queue.perform { database throws(SQLiteError) in try database.forgetConversations(of: person) }
        erasure.botCalls = try eraseBotCalls(of: person)
        return erasure
    }

    /// Moves the log into the database, which overwrites deleted data there, and then searches both files.
    package func proveErasure(of traces: PersonTraces) throws(StoreError) -> ErasureProof {
        let log = try emptyLog()
        var (events, waiting) = (0, [ByteKey: Int]())
        try forEachStep(of: traces.person) { found throws(StoreError) in
            events += found.count { !$0.isErased }
            for event in found where event.isErased {
                let notifiers = try read(listReader) { database throws(SQLiteError) in try database.waiting(of: event.number) }
                for notifier in notifiers { waiting[ByteKey(notifier), default: 0] += 1 }
            }
        }
        let devices = try read(listReader) { database throws(SQLiteError) in try database.deviceRows(of: traces.person) }
        let conversations = try read(listReader) { database throws(SQLiteError) in try database.conversationRows(of: traces.person) }
        let botCalls = try read(listReader) { database throws(SQLiteError) in try database.botCallRows(of: traces.person) }
        let revocations = try revocations(of: traces.person, after: nil, limit: 1000).count
        return ErasureProof(
            tables: [
                ErasureProof.Table(name: "events", rows: events), ErasureProof.Table(name: "devices", rows: devices),
                ErasureProof.Table(name: "topics", rows: conversations), ErasureProof.Table(name: "bot_calls", rows: botCalls),
                ErasureProof.Table(name: "revocations", rows: revocations),
            ], waiting: Erasure.Deliveries.list(waiting), files: try searchFiles(traces.texts), log: log)
    }

    /// Calls `body` with the events of a person, a step of the table at a time.
    private func forEachStep(
        of person: AppUser, _ body: ([(number: Int64, isErased: Bool)]) throws(StoreError) -> Void
    ) throws(StoreError) {
        let ends = try read(listReader) { database throws(SQLiteError) in try database.events() }
        var first = ends.oldest - 1
        while first < ends.newest {
            let (after, last) = (first, first + settings.eventsPerStep)
            try body(
                try read(listReader) { database throws(SQLiteError) in
                    try database.events(of: person, after: after, through: last)
                })
            first = last
        }
    }

    /// Has the log emptied, and waits for an emptying that begins after this call, because other calls may delete data meanwhile.
    private func emptyLog() throws(StoreError) -> ErasureProof.Log {
        let before = try queue.perform { database throws(SQLiteError) in
            database.isLogRead = false
            return database.emptyings
        }
        let end = SystemClock.monotonicMilliseconds() + settings.emptiesLogWithinMilliseconds
        let pause = Monitor(())
        while true {
            // Each call lets the checkpointer take its next step.
            let isEmptied = try queue.perform { database throws(SQLiteError) in database.hastenErasure(since: before) }
            if isEmptied { return .emptied }
            if SystemClock.monotonicMilliseconds() >= end { break }
            _ = pause.wait(timeoutMilliseconds: Self.pollMilliseconds) { _ in nil as Void? }
        }
        return try queue.perform { database throws(SQLiteError) in database.isLogRead } ? .read : .unfinished
    }

    private func searchFiles(_ texts: [String]) throws(StoreError) -> ErasureProof.Files {
        guard let lock = status.withLock({ $0.lock }) else { throw .closed }
        let patterns = texts.map { Array($0.utf8) }
        let log = path + StoreFiles.File.log.suffix
        do throws(SystemError) {
            let (database, rest) = (try lock.search(for: patterns), try FileSearch.search(log, for: patterns))
            return ErasureProof.Files(
                names: [path, log].compactMap { $0.split(separator: "/").last.map { String($0) } }, bytes: database.bytes + rest.bytes,
                occurrences: database.occurrences + rest.occurrences)
        } catch {
            throw .cannotOpen(path, error)
        }
    }
}
