package import Core
internal import JSON

extension DeliveryAction: AdminAction {
    private static let purgedPerStep = 500

    /// As `AdminAction` says.
    package var change: String? {
        switch self {
        case .list, .show: nil
        case .retryOne, .retry: "deliveries.retry"
        case .giveUp: "deliveries.give_up"
        case .purge: "deliveries.purge"
        }
    }

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
        case .giveUp(let notifier):
            return try Self.purged { limit throws(StoreError) in
                try desk.store.giveUpPending(notifier: notifier, now: desk.now, limit: limit)
            }
        case .purge(let state, let before):
            return try Self.purged { limit throws(StoreError) in
                try desk.store.forget(state, endedBefore: before ?? desk.now, limit: limit)
            }
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

    /// Purges in steps, between which others go on.
    private static func purged(_ step: (_ limit: Int) throws(StoreError) -> Int) throws(StoreError) -> AdminAnswer {
        var purged = 0
        while true {
            let count = try step(purgedPerStep)
            purged += count
            if count < purgedPerStep { return AdminAnswer(["purged": .integer(Int64(purged))]) }
        }
    }
}
