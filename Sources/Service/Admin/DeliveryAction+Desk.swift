package import Core
internal import JSON

extension DeliveryAction: AdminAction {
    private static let purgedPerStep = 500

    /// As `AdminAction` says.
    package func perform(on desk: AdminDesk) throws(StoreError) -> AdminAnswer {
        switch self {
        case .list(let filter, let limit):
            let found = try desk.store.deliveries(filter, limit: limit)
            return AdminAnswer(["deliveries": .array(found.map { .object($0.json) })])
        case .show(let id):
            guard let story = try desk.store.story(of: id) else { return .unknown }
            return AdminAnswer(.object(story.json))
        case .retryOne(let id): return try Self.retry(id, desk)
        case .retry(let filter): return .retried(try Self.retry(filter, desk))
        case .giveUp(let notifier): return AdminAnswer(["purged": .integer(Int64(try Self.giveUp(notifier, desk)))])
        case .purge(let state, let before):
            return AdminAnswer(["purged": .integer(Int64(try Self.purge(state, before: before ?? desk.now, desk)))])
        }
    }

    private static func retry(_ id: UUIDv7, _ desk: AdminDesk) throws(StoreError) -> AdminAnswer {
        var filter = DeliveryFilter()
        filter.id = id
        let count = try retry(filter, desk)
        if count > 0 { return .retried(count) }
        return try desk.store.story(of: id) == nil ? .unknown : .notDead
    }

    private static func retry(_ filter: DeliveryFilter, _ desk: AdminDesk) throws(StoreError) -> Int {
        let (expiry, overflow) = desk.now.addingReportingOverflow(desk.lifeMilliseconds)
        return try desk.store.retry(filter, now: desk.now, expiresAt: overflow ? .max : expiry)
    }

    private static func purge(_ state: Delivery.State, before: UInt64, _ desk: AdminDesk) throws(StoreError) -> Int {
        var purged = 0
        while true {
            let count = try desk.store.forget(state, endedBefore: before, now: desk.now, limit: purgedPerStep)
            purged += count
            if count < purgedPerStep { return purged }
        }
    }
}
