internal import Core
internal import SQLite

extension WritingDatabase {
    /// Stores an event with its deliveries. A duplicate is recognised even if the queue is full.
    func accept(_ incoming: IncomingEvent, _ audience: RegistryAudience) throws(SQLiteError) -> Result<Acceptance, StoreError> {
        let event = incoming.event
        let app = try apps.number(event.identity.appID, self)
        let comment = try find(event.identity, app)
        if let earlier = comment.duplicate { return .success(.duplicate(of: earlier)) }
        if let refusal = try Admission.refusal(of: incoming, in: self) { return refusal }
        if let refusal = acceptanceRefusal() { return .failure(refusal) }
        try apply(RegistryTransition.learn(incoming, devicesPerUser: settings.devicesPerUser, in: self), audience)
        // Checked last, because the number of deliveries is known only now. The registry keeps its changes, which are correct in any case.
        switch admitted(try plan(incoming, app, hasSibling: comment.hasSibling), event: event, app: app) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let rows):
            try insert(incoming, rows: rows, app: app)
            return .success(.accepted)
        }
    }

    /// Stores the event of a change in the registry. If the queue is full, its deliveries end at once; the change is made all the same.
    func announce(_ change: RegistryChange, _ audience: RegistryAudience) throws(SQLiteError) {
        if let incoming = change.incoming(telling: audience, using: &random) { try announce(incoming) }
    }

    /// Stores an event without a comment. If the queue is full, its deliveries end at once.
    func announce(_ incoming: IncomingEvent) throws(SQLiteError) {
        let app = try apps.number(incoming.event.identity.appID, self)
        guard case .success(let rows) = admitted(try plan(incoming, app, hasSibling: false), event: incoming.event, app: app) else {
            return
        }
        try insert(incoming, rows: rows, app: app)
    }

    /// The deliveries of an app's event for storage, or the reason why the event is rejected.
    func admitted(_ rows: [DeliveryPlan.Row], event: Event, app: Int64) -> Result<[DeliveryPlan.Row], StoreError> {
        settings.bounds.admitted(rows, of: event, total: counts.pending.total) { counts.pending.queue($0, of: app) }
    }

    /// Returns the reason why no new event may be stored; nil if one may.
    func acceptanceRefusal() -> StoreError? {
        if let refusal { return refusal }
        return isDiskLow ? .freeSpace(settings.minimumFreeBytes) : longLog
    }

    /// Whether the event is a duplicate, and whether the same comment has arrived for another device. Usually both are false.
    func find(_ identity: Event.Identity, _ app: Int64) throws(SQLiteError) -> (duplicate: UUIDv7?, hasSibling: Bool) {
        guard let comment = identity.commentID, let ticket = identity.ticketID else { return (nil, false) }
        let statement = statements.findComment
        statement.bind(app, at: 1)
        statement.bind(comment.text, at: 2)
        statement.bind(ticket.text, at: 3)
        defer { statement.reset() }
        var hasSibling = false
        while try statement.step() {
            hasSibling = true
            if try statement.string(1).utf8.elementsEqual(identity.deviceID.utf8) { return (try statement.uuidv7(0), true) }
        }
        return (try findPast(identity, app), hasSibling)
    }

    func plan(_ incoming: IncomingEvent, _ app: Int64, hasSibling: Bool) throws(SQLiteError) -> [DeliveryPlan.Row] {
        let event = incoming.event
        return try DeliveryPlan.rows(event, incoming.subscriptions) { () throws(SQLiteError) in
            try candidates(event)
        } isNotified: { (notifier, device) throws(SQLiteError) -> Bool in
            guard hasSibling else { return false }
            return try isNotified(event.identity, app: app, notifier: notifier, device: device)
        }
    }

    private func isNotified(
        _ identity: Event.Identity, app: Int64, notifier: String, device: String
    ) throws(SQLiteError) -> Bool {
        let statement = statements.isNotified
        statement.bind(app, at: 1)
        statement.bind(identity.commentID?.text, at: 2)
        statement.bind(identity.ticketID?.text, at: 3)
        statement.bind(notifier, at: 4)
        statement.bind(device, at: 5)
        defer { statement.reset() }
        return try statement.step()
    }

    func insert(_ incoming: IncomingEvent, rows: [DeliveryPlan.Row], app: Int64) throws(SQLiteError) {
        let event = incoming.event
        if StoreRules.hasNoReceiver(rows, isErased: incoming.isErased) {
            for row in rows { if let ending = row.ending { counts.refuse(ending, for: row.subscription.notifier) } }
            return
        }
        guard !rows.isEmpty else { return try remember(event.identity, app: app, id: event.id, receivedAt: event.receivedAt) }
        let statement = statements.insertEvent
        statement.bind(app, at: 1)
        statement.bind(event.identity.commentID?.text, at: 2)
        statement.bind(event.identity.ticketID?.text, at: 3)
        statement.bind(event.identity.deviceID, at: 4)
        statement.bind(event.deviceType, at: 5)
        statement.bind(event.id.bytes.span, at: 6)
        statement.bind(event.kind.rawValue, at: 7)
        statement.bind(event.userID, at: 8)
        statement.bind(event.occurredAt.stored, at: 9)
        statement.bind(event.receivedAt.stored, at: 10)
        statement.bind(Int64(rows.count), at: 11)
        let data = rows.contains { ($0.ending?.state ?? .pending).needsData } ? event.data : Event.emptyData
        statement.bind(data.span, at: 12)
        statement.bind(incoming.isErased ? 1 : 0 as Int64, at: 13)
        if let trace = event.trace { statement.bind(trace.bytes.span, at: 14) } else { statement.bindNull(at: 14) }
        try statement.runBound()
        let number = lastInsertedRow
        for (position, row) in rows.enumerated() {
            try insert(row, of: event, app: app, key: DeliveryKey(event: number, position: Int64(position)))
        }
    }

    private func insert(_ row: DeliveryPlan.Row, of event: Event, app: Int64, key: DeliveryKey) throws(SQLiteError) {
        let statement = statements.insertDelivery
        let state = row.ending?.state ?? .pending
        statement.bind(key.event, at: 1)
        statement.bind(key.position, at: 2)
        statement.bind(row.subscription.notifier, at: 3)
        statement.bind(app, at: 4)
        statement.bind(row.subscription.keepsOrder ? StoreRules.orderNumber(event) : nil, at: 5)
        statement.bind(row.deviceID, at: 6)
        statement.bind(row.subscription.requiresDevice ? 1 : 0 as Int64, at: 7)
        statement.bind(Int64(state.number), at: 8)
        statement.bind(row.dueAt(of: event).stored, at: 9)
        statement.bind(row.expiresAt(of: event).stored, at: 10)
        statement.bind(row.ending == nil ? nil : event.receivedAt.stored, at: 11)
        statement.bind(row.ending?.reason ?? "", at: 12)
        try statement.runBound()
        if let ending = row.ending {
            counts.refuse(ending, for: row.subscription.notifier)
        } else {
            counts.add(1, to: row.subscription.notifier, of: app)
        }
    }
}
