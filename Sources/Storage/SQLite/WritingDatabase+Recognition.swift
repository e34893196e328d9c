internal import Core
internal import SQLite
internal import Time

extension WritingDatabase {
    /// The event of a comment whose deliveries were deleted; nil if the comment is unknown.
    func findPast(_ identity: Event.Identity, _ app: Int64) throws(SQLiteError) -> UUIDv7? {
        let statement = statements.findPast
        statement.bind(app, at: 1)
        statement.bind(identity.commentID?.text, at: 2)
        statement.bind(StoreRules.mark(of: identity), at: 3)
        defer { statement.reset() }
        return try statement.step() ? try statement.uuidv7(0) : nil
    }

    /// Stores the identity by which a comment is recognised.
    func remember(_ identity: Event.Identity, app: Int64, id: UUIDv7, receivedAt: UnixMilliseconds) throws(SQLiteError) {
        guard let comment = identity.commentID else { return }
        try statements.remember.run(app, comment.text, StoreRules.mark(of: identity), receivedAt.stored, id.bytes)
    }

    /// Counts a deleted delivery. When its last delivery is deleted, so is the event, but its comment is still recognised. If deliveries
    /// remain but none needs the event's data, only the data is deleted.
    func release(_ event: Int64) throws(SQLiteError) {
        try statements.releaseEvent.run(event)
        var released: (app: Int64, identity: Event.Identity, id: UUIDv7, receivedAt: UnixMilliseconds)?
        try statements.findReleased.forEachRow(event) { row throws(SQLiteError) in
            let identity = Event.Identity(
                appID: "", ticketID: try row.helpDeskID(2), commentID: try row.helpDeskID(1), deviceID: try row.string(3))
            released = (try row.int64(0), identity, try row.uuidv7(4), try row.time(5))
        }
        guard let released else { return try dropDataIfUnneeded(event) }
        try remember(released.identity, app: released.app, id: released.id, receivedAt: released.receivedAt)
        try statements.deleteEvent.run(event)
        noteForgotten()
    }

    /// Deletes an event's data unless a delivery needs it.
    func dropDataIfUnneeded(_ event: Int64) throws(SQLiteError) {
        let emptyData = Event.emptyData
        statements.emptyEvent.bind(event, at: 1)
        statements.emptyEvent.bind(emptyData.span, at: 2)
        try statements.emptyEvent.runBound()
        if changes > 0 { noteForgotten() }
    }

    /// Records that the log contains deleted data, so that it is emptied some seconds later.
    func noteForgotten() {
        emptiesLogAt = emptiesLogAt ?? SystemClock.monotonicMilliseconds() + settings.erasesLogAfterMilliseconds
    }

    /// Deletes the identities of comments that need not be recognised any more.
    /// - Returns: the number of deleted identities.
    func forgetPast(receivedBefore time: UnixMilliseconds, limit: Int) throws(SQLiteError) -> Int {
        var old: [(app: Int64, comment: String, mark: Int64)] = []
        try statements.findOldPast.forEachRow(time.stored, limit) { row throws(SQLiteError) in
            old.append((try row.int64(0), try row.string(1), try row.int64(2)))
        }
        for comment in old { try statements.deletePast.run(comment.app, comment.comment, comment.mark) }
        return old.count
    }
}
