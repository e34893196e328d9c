internal import Core
internal import SQLite
internal import Time

/// The state of the clocks, stored for the next process.
extension WritingDatabase {
    /// The last stored value; nil in a new file.
    func trustedTime() throws(SQLiteError) -> TrustedTime? {
        var kept: (reading: TrustedTime.Reading, age: UInt64)?
        try statements.clock.forEachRow { row throws(SQLiteError) in
            kept = (
                TrustedTime.Reading(wall: try row.time(1), sinceBoot: try row.duration(2), boot: try row.string(0)), try row.duration(3)
            )
        }
        guard let kept else { return nil }
        var jumps: [TrustedTime.ClockJump] = []
        try statements.jumps.forEachRow { row throws(SQLiteError) in
            jumps.append(TrustedTime.ClockJump(at: try row.duration(0), by: try row.duration(1), isGap: try row.int64(2) != 0))
        }
        return TrustedTime(kept.reading, age: kept.age, jumps: jumps)
    }

    /// Stores a value in place of the earlier one.
    func keep(_ time: TrustedTime) throws(SQLiteError) {
        try statements.putClock.run(time.last.boot, time.last.wall.stored, time.last.sinceBoot.stored, time.age.stored)
        try statements.clearJumps.run()
        for jump in time.jumps { try statements.putJump.run(jump.at.stored, jump.by.stored, jump.isGap ? 1 : 0) }
    }
}
