internal import Core
internal import Time

/// The source or target store of a copy. Only one thread may use it.
protocol CopyEnd: AnyObject {
    func count(_ table: CopiedTable) throws(StoreError) -> Int

    /// The greatest key of a table; nil when it has no rows.
    func lastKey(of table: CopiedTable) throws(StoreError) -> [CopiedValue]?

    /// Returns rows after a key, in the order of the key: at most `limit`, and fewer when the rows are large. An empty result means that
    /// the table has no more rows.
    func rows(of table: CopiedTable, after key: [CopiedValue], limit: Int) throws(StoreError) -> [[CopiedValue]]

    func write(_ rows: [[CopiedValue]], to table: CopiedTable) throws(StoreError)
}

extension CopyEnd {
    func isEmpty() throws(StoreError) -> Bool {
        for table in CopiedTable.all where try lastKey(of: table) != nil { return false }
        return true
    }

    /// Returns the number of rows of each table.
    func counts() throws(StoreError) -> [StoreCopyReport.Table] {
        var counts: [StoreCopyReport.Table] = []
        for table in CopiedTable.all { counts.append(StoreCopyReport.Table(name: table.name, rows: try count(table))) }
        return counts
    }
}

/// Copies the rows that the target lacks. Both stores use the same numbers and keys, so the target's last keys determine where the copy
/// continues.
struct CopyRun {
    let source: any CopyEnd
    let target: any CopyEnd
    /// Converts a stored moment of the source to the target's clock.
    let moment: (Int64) -> Int64
    /// The maximum number of rows in a transaction.
    let limit: Int

    /// Copies all tables.
    /// - Parameter observe: called after each transaction; an error that it throws ends the copy.
    /// - Returns: the number of copied rows in each table.
    /// - Throws: an error of a store, or an error when the numbers of rows differ at the end.
    func all(_ observe: (StoreCopyProgress) throws(StoreError) -> Void) throws(StoreError) -> [StoreCopyReport.Table] {
        for table in CopiedTable.all { try copy(table, observe) }
        return try compared()
    }

    /// Returns the number of rows in each table of the target.
    /// - Throws: when the numbers of rows in source and target differ.
    func compared() throws(StoreError) -> [StoreCopyReport.Table] {
        let (here, there) = (try source.counts(), try target.counts())
        for (here, there) in zip(here, there) where here != there { throw .copyDiffers(there.name, source: here.rows, target: there.rows) }
        return there
    }

    private func copy(
        _ table: CopiedTable, _ observe: (StoreCopyProgress) throws(StoreError) -> Void
    ) throws(StoreError) {
        let total = try source.count(table)
        var copied = try target.count(table)
        var key = try target.lastKey(of: table) ?? table.firstKey
        while true {
            let rows = try source.rows(of: table, after: key, limit: limit)
            guard let last = rows.last else { return }
            try target.write(rows.map { converted($0, table) }, to: table)
            key = Array(last.prefix(table.keyCount))
            copied += rows.count
            try observe(StoreCopyProgress(table: table.name, copied: copied, total: total))
        }
    }

    private func converted(_ row: [CopiedValue], _ table: CopiedTable) -> [CopiedValue] {
        zip(row, table.columns).map { value, column in
            switch (column, value) {
            case (.moment, .integer(let value)): .integer(moment(value))
            case (.times, .bytes(let bytes)):
                .bytes(
                    CallTimes(bytes: bytes).converted { time in
                        UnixMilliseconds(rawValue: UInt64(clamping: moment(time.stored)))
                    }.bytes)
            default: value
            }
        }
    }
}

extension ClockOffset {
    /// Converts a moment as stored by SQLite to the database's clock.
    func databaseTime(_ moment: Int64) -> Int64 { databaseTime(UnixMilliseconds(rawValue: UInt64(clamping: moment))).stored }

    /// Converts a moment as stored by the database to this process's clock.
    func localTime(_ moment: Int64) -> Int64 { localTime(UnixMilliseconds(rawValue: UInt64(clamping: moment))).stored }
}
