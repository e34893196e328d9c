internal import Core
internal import SQLite

/// A delivery's place in the file, in its queue and among those of its ticket.
struct DeliveryPlace {
    let key: DeliveryKey
    let notifier: String
    let appID: String
    let ticketID: Int64
    let leads: Bool

    /// Reads a row of `findDelivery`.
    fileprivate init(_ row: Statement) throws(SQLiteError) {
        key = DeliveryKey(event: try row.int64(0), position: try row.int64(1))
        notifier = try row.string(2)
        appID = try row.string(3)
        ticketID = try row.int64(4)
        leads = try row.int64(6) != 0
    }
}

extension WritingDatabase {
    /// Reports on one try.
    func finish(_ result: FinishedTry) throws(SQLiteError) {
        guard let (place, state, attempts) = try find(result.id), try record(result, place.key) else { return }
        guard state == .pending, attempts == result.attempt else { return }
        switch result.next {
        case .delivered: try end(place, .delivered, at: result.now, reason: result.reason)
        case .dead: try end(place, .dead, at: result.now, reason: result.reason)
        case .givenUp(let ending): try end(place, .dead, at: result.now, reason: ending.rawValue)
        case .retry(let time):
            try statements.reschedule.run(place.key.event, place.key.position, time.stored, result.reason)
        }
    }

    /// Ends a pending delivery, and lets the next one of its ticket go first.
    private func end(_ place: DeliveryPlace, _ state: Delivery.State, at time: UInt64, reason: String) throws(SQLiteError) {
        try statements.end.run(place.key.event, place.key.position, state.number, time.stored, reason)
        if place.leads { try statements.lead.run(place.notifier, place.appID, place.ticketID) }
        counts.add(-1, to: place.notifier)
    }

    /// Ends a pending delivery whose time is over.
    func giveUp(_ id: UUIDv7, at time: UInt64) throws(SQLiteError) {
        // Looked up now, because it may have come to the head of its ticket a moment ago.
        guard let place = try find(id)?.place else { return }
        try end(place, .dead, at: time, reason: StoreRules.expired)
    }

    /// Where a delivery is, and how it stands.
    private func find(_ id: UUIDv7) throws(SQLiteError) -> (place: DeliveryPlace, state: Delivery.State, attempts: Int)? {
        var found: (DeliveryPlace, Delivery.State, Int)?
        try statements.findDelivery.forEachRow(id.bytes) { row throws(SQLiteError) in
            found = (try DeliveryPlace(row), try row.state(5), Int(try row.int64(7)))
        }
        return found
    }

    /// Writes a report into the story; false when that try is not known or was reported before.
    private func record(_ result: FinishedTry, _ key: DeliveryKey) throws(SQLiteError) -> Bool {
        try statements.endAttempt.run(
            key.event, key.position, result.attempt, result.now.stored, result.next.outcome, result.reason)
        return changes > 0
    }
}
