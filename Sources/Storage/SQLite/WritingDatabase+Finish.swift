internal import Core
internal import SQLite
internal import Time

/// The position of a delivery: in the file, in its notifier's queue, and among the deliveries with the same order key.
struct DeliveryPosition {
    let key: DeliveryKey
    let notifier: String
    let app: Int64
    /// The number of its order key; nil if its notifier does not preserve the order.
    let order: Int64?
    let leads: Bool

    /// Reads a row of `findDelivery`.
    fileprivate init(_ row: Statement) throws(SQLiteError) {
        key = DeliveryKey(event: try row.int64(0), position: try row.int64(1))
        notifier = try row.string(2)
        app = try row.int64(3)
        order = try row.optionalInt64(4)
        leads = try row.int64(6) != 0
    }
}

extension WritingDatabase {
    func finish(_ result: FinishedAttempt, _ audience: RegistryAudience) throws(SQLiteError) {
        guard let (place, state, attempts) = try find(result.id), try record(result, place.key) else { return }
        if let tried = result.device, let update = result.update {
            try apply(RegistryTransition.learn(update, of: tried, now: result.now, in: self), audience)
        }
        guard state == .pending, attempts == result.attempt else { return }
        if let call = result.uncountedCall { try giveBack(call, notifier: place.notifier) }
        switch result.next {
        case .delivered: try end(place, .delivered, at: result.now, reason: result.reason)
        case .dead: try end(place, .dead, at: result.now, reason: result.reason)
        case .givenUp(let ending): try end(place, .dead, at: result.now, reason: ending.rawValue)
        case .retry(let time): try reschedule(place.key, at: time, reason: result.reason)
        }
    }

    func reschedule(_ key: DeliveryKey, at time: UnixMilliseconds, reason: String) throws(SQLiteError) {
        let statement = statements.reschedule
        statement.bind(key.event, at: 1)
        statement.bind(key.position, at: 2)
        statement.bind(time.stored, at: 3)
        statement.bind(reason, at: 4)
        try statement.runBound()
    }

    /// Ends a pending delivery, and makes the next one with the same order key lead.
    /// - Returns: whether there is a next one.
    @discardableResult
    private func end(_ place: DeliveryPosition, _ state: Delivery.State, at time: UnixMilliseconds, reason: String) throws(SQLiteError)
        -> Bool
    {
        let statement = statements.end
        statement.bind(place.key.event, at: 1)
        statement.bind(place.key.position, at: 2)
        statement.bind(Int64(state.number), at: 3)
        statement.bind(time.stored, at: 4)
        statement.bind(reason, at: 5)
        try statement.runBound()
        counts.add(-1, to: place.notifier, of: place.app)
        if !state.needsData { try dropDataIfUnneeded(place.key.event) }
        try dropPersonIfReported(place.key.event)
        guard place.leads, let order = place.order else { return false }
        return try lead(place, order)
    }

    private func lead(_ place: DeliveryPosition, _ order: Int64) throws(SQLiteError) -> Bool {
        let statement = statements.lead
        statement.bind(place.notifier, at: 1)
        statement.bind(place.app, at: 2)
        statement.bind(order, at: 3)
        try statement.runBound()
        return changes > 0
    }

    /// Ends a pending delivery without an attempt.
    /// - Returns: whether another delivery with the same order key now leads.
    @discardableResult
    func giveUp(_ key: DeliveryKey, state: Delivery.State, reason: String, at time: UnixMilliseconds) throws(SQLiteError) -> Bool {
        // Read again, because a transition before this one may have made it the leading delivery of its ticket.
        var found: DeliveryPosition?
        try statements.findPlace.forEachRow(key.event, key.position) { row throws(SQLiteError) in found = try DeliveryPosition(row) }
        guard let found else { return false }
        return try end(found, state, at: time, reason: reason)
    }

    private func find(_ id: UUIDv7) throws(SQLiteError) -> (place: DeliveryPosition, state: Delivery.State, attempts: Int)? {
        var found: (DeliveryPosition, Delivery.State, Int)?
        statements.findDelivery.bind(id.event.bytes.span, at: 1)
        statements.findDelivery.bind(Int64(id.position), at: 2)
        try statements.findDelivery.readBound { row throws(SQLiteError) in
            found = (try DeliveryPosition(row), try row.state(5), Int(try row.int64(7)))
        }
        return found
    }

    /// Writes the outcome of an attempt; false when the attempt is unknown or has an outcome.
    private func record(_ result: FinishedAttempt, _ key: DeliveryKey) throws(SQLiteError) -> Bool {
        let statement = statements.endAttempt
        statement.bind(key.event, at: 1)
        statement.bind(key.position, at: 2)
        statement.bind(Int64(result.attempt), at: 3)
        statement.bind(result.now.stored, at: 4)
        statement.bind(result.next.outcome, at: 5)
        statement.bind(result.reason, at: 6)
        try statement.runBound()
        return changes > 0
    }
}
