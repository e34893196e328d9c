package import Core
internal import SQLite
internal import Time

/// Operators' conditions. Only one process has the file open, so a condition that it does not report has ended.
extension SQLiteStore {
    /// Not delayed by operators' lists.
    package func conditions() throws(StoreError) -> [OperatorCondition] {
        try read(metricsReader) { database throws(SQLiteError) in try database.allConditions() }
    }

    package func raise(_ condition: OperatorCondition, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        try queue.perform { database throws(SQLiteError) in
            let (key, statement) = (condition.key, database.statements.raiseCondition)
            var hasBegun = false
            try statement.forEachRow(key.kind.rawValue, key.subject.text, condition.since.stored, condition.data) { _ in hasBegun = true }
            if hasBegun, let incoming { try database.announce(incoming) }
            return hasBegun
        }
    }

    package func clear(_ key: OperatorCondition.Key, announcing incoming: IncomingEvent?) throws(StoreError) -> Bool {
        try queue.perform { database throws(SQLiteError) in
            var hasEnded = false
            try database.statements.clearCondition.forEachRow(key.kind.rawValue, key.subject.text) { _ in hasEnded = true }
            if hasEnded, let incoming { try database.announce(incoming) }
            return hasEnded
        }
    }
}

extension ReadingDatabase {
    /// All rows except those of kinds added by a later version, in the order of their key.
    func allConditions() throws(SQLiteError) -> [OperatorCondition] {
        var found: [OperatorCondition] = []
        try conditions.forEachRow { row throws(SQLiteError) in
            guard let kind = OperatorCondition.Kind(rawValue: try row.string(0)) else { return }
            found.append(
                OperatorCondition(OperatorCondition.Key(kind, try row.string(1)), since: try row.time(2), data: try row.bytes(3)))
        }
        return found
    }
}
