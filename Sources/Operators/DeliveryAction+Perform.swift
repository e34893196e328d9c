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
    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        switch self {
        case .list(let filter, let after, let limit): return try Self.list(filter, after, limit, context)
        case .show(let id):
            guard let story = try context.store.story(of: id) else { return .unknown }
            return AdminAnswer(.object(story.json(context)))
        case .retryOne(let id): return try Self.retry(id, context)
        case .retry(let filter):
            let count = try Self.retry(filter, context)
            if count == 0, let mistake = try context.mistake(in: filter) { return mistake }
            return AdminAnswer(.retried(count))
        case .giveUp(let notifier): return try Self.giveUp(notifier, context)
        case .purge(let state, let before):
            return try Self.purged { limit throws(StoreError) in
                try context.store.forget(state, endedBefore: before ?? context.now, limit: limit)
            }
        }
    }

    private static func list(
        _ filter: DeliveryFilter, _ after: DeliveryCursor?, _ limit: Int, _ context: AdminContext
    ) throws(StoreError) -> AdminAnswer {
        let page = try context.store.page(of: filter, after: after, limit: limit)
        if page.deliveries.isEmpty, let mistake = try context.mistake(in: filter) { return mistake }
        return AdminAnswer([
            "deliveries": .array(page.deliveries.map { .object($0.json(context)) }),
            "next": page.next.map { .string($0.description) } ?? .null,
        ])
    }

    private static func giveUp(_ notifier: String, _ context: AdminContext) throws(StoreError) -> AdminAnswer {
        var filter = DeliveryFilter()
        filter.notifier = notifier
        if let mistake = try context.mistake(in: filter) { return mistake }
        return try purged { limit throws(StoreError) in
            let count = try context.store.giveUpPending(notifier: notifier, now: context.now, limit: limit)
            context.onGivenUp(count, notifier)
            return count
        }
    }

    private static func retry(_ id: UUIDv7, _ context: AdminContext) throws(StoreError) -> AdminAnswer {
        var filter = DeliveryFilter()
        filter.id = id
        let count = try retry(filter, context)
        if count > 0 { return AdminAnswer(.retried(count)) }
        return try context.store.story(of: id) == nil ? .unknown : .notDead
    }

    private static func retry(_ filter: DeliveryFilter, _ context: AdminContext) throws(StoreError) -> Int {
        let (expiry, overflow) = context.now.addingReportingOverflow(context.state.registryAudience.lifeMilliseconds)
        return try context.store.retry(filter, now: context.now, expiresAt: overflow ? .max : expiry)
    }

    /// Purges in steps, between which others go on.
    private static func purged(_ step: (_ limit: Int) throws(StoreError) -> Int) throws(StoreError) -> AdminAnswer {
        var purged = 0
        while true {
            let count = try step(purgedPerStep)
            purged += count
            if count < purgedPerStep { return AdminAnswer(.purged(purged)) }
        }
    }
}
