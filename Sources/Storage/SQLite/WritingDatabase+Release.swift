internal import Core
internal import SQLite

extension WritingDatabase {
    /// Gives back what an earlier process had leased when it ended, due since its try began, and notes that the try was interrupted.
    ///
    /// Only for a file that nobody else works on: the lock on it proves that.
    func releaseLeases() throws(SQLiteError) {
        for notifier in counts.notifiers {
            var tries: [(key: DeliveryKey, number: Int64, startedAt: Int64)] = []
            try statements.leased.forEachRow(notifier) { row throws(SQLiteError) in
                let key = DeliveryKey(event: try row.int64(0), position: try row.int64(1))
                tries.append((key, try row.int64(2), try row.int64(3)))
            }
            for (key, number, startedAt) in tries {
                try statements.interrupt.run(key.event, key.position, number, StoreRules.interrupted)
                try statements.reschedule.run(key.event, key.position, startedAt, StoreRules.interrupted)
            }
        }
    }
}
