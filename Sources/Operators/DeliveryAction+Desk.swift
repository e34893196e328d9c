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
        case .list(let filter, let after, let limit): return try Self.list(filter, after, limit, desk)
        case .show(let id):
            guard let story = try desk.store.story(of: id) else { return .unknown }
            return AdminAnswer(.object(story.json(desk)))
        case .retryOne(let id): return try Self.retry(id, desk)
        case .retry(let filter):
            let count = try Self.retry(filter, desk)
            if count == 0, let mistake = try desk.mistake(in: filter) { return mistake }
            return .retried(count)
        case .giveUp(let notifier): return try Self.giveUp(notifier, desk)
        case .purge(let state, let before):
            return try Self.purged { limit throws(StoreError) in
                try desk.store.forget(state, endedBefore: before ?? desk.now, limit: limit)
            }
        }
    }

    private static func list(
        _ filter: DeliveryFilter, _ after: DeliveryCursor?, _ limit: Int, _ desk: AdminDesk
    ) throws(StoreError) -> AdminAnswer {
        let page = try desk.store.page(of: filter, after: after, limit: limit)
        if page.deliveries.isEmpty, let mistake = try desk.mistake(in: filter) { return mistake }
        return AdminAnswer([
            "deliveries": .array(page.deliveries.map { .object($0.json(desk)) }),
            "next": page.next.map { .string($0.description) } ?? .null,
        ])
    }

    private static func giveUp(_ notifier: String, _ desk: AdminDesk) throws(StoreError) -> AdminAnswer {
        var filter = DeliveryFilter()
        filter.notifier = notifier
        if let mistake = try desk.mistake(in: filter) { return mistake }
        return try purged { limit throws(StoreError) in
            let count = try desk.store.giveUpPending(notifier: notifier, now: desk.now, limit: limit)
            desk.onGivenUp(count, notifier)
            return count
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
