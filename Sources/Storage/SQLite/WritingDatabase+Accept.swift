internal import Core
internal import SQLite

extension WritingDatabase {
    /// Stores an event with its deliveries. A duplicate is recognised even where there is no room.
    func accept(_ event: Event, _ deliveries: [Delivery]) throws(SQLiteError) -> Result<Acceptance, StoreError> {
        if let earlier = try find(event.identity) { return .success(.duplicate(of: earlier)) }
        if let refusal = whyNot(deliveries.count) { return .failure(refusal) }
        let number = try insert(event, deliveries: deliveries.count)
        for (position, delivery) in deliveries.enumerated() { try insert(delivery, of: event, number, position) }
        return .success(.accepted)
    }

    private func whyNot(_ count: Int) -> StoreError? {
        if let refusal { return refusal }
        if isDiskLow { return .freeSpace(settings.minimumFreeBytes) }
        return count > 0 && counts.total + count > settings.maxPending ? .queueFull(settings.maxPending) : nil
    }

    private func find(_ identity: Event.Identity) throws(SQLiteError) -> UUIDv7? {
        var id: UUIDv7?
        try statements.findEvent.forEachRow(identity.appID, identity.ticketID, identity.commentID, identity.deviceID) {
            row throws(SQLiteError) in id = try row.uuid(0)
        }
        return id
    }

    private func insert(_ event: Event, deliveries: Int) throws(SQLiteError) -> Int64 {
        let identity = event.identity
        try statements.insertEvent.run(
            identity.appID, identity.ticketID, identity.commentID, identity.deviceID, event.id.bytes, event.kind.rawValue, event.userID,
            event.occurredAt.stored, event.receivedAt.stored, deliveries, event.payload)
        return lastInsertedEvent
    }

    private func insert(_ delivery: Delivery, of event: Event, _ number: Int64, _ position: Int) throws(SQLiteError) {
        try statements.insertDelivery.run(
            number, position, delivery.id.bytes, delivery.notifier, event.identity.appID, event.identity.ticketID, delivery.dueAt.stored,
            event.expiresAt.stored)
        counts.add(1, to: delivery.notifier)
    }
}
