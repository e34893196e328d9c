internal import Core
internal import SQLite

extension WritingDatabase {
    /// Releases the leases of an earlier process: the deliveries are due since their attempts began, and the attempts are recorded as
    /// interrupted.
    ///
    /// The caller must hold the lock on the file, which proves that no other process works on it.
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
