internal import Core
internal import JSON

/// Does what operators want of the deliveries, and says what came of it in the form of the admin listener.
struct DeliveryDesk {
    private static let purgedPerStep = 500

    let store: any Store
    /// Unix milliseconds.
    let now: UInt64
    /// How long what is tried again is worth something.
    let lifeMilliseconds: UInt64

    /// Does it; blocks as the store does.
    func perform(_ action: DeliveryAction) throws(StoreError) -> DeliveryAnswer {
        switch action {
        case .list(let filter, let limit):
            let found = try store.deliveries(filter, limit: limit)
            return DeliveryAnswer(["deliveries": .array(found.map { .object($0.json) })])
        case .show(let id):
            guard let story = try store.story(of: id) else { return .unknown }
            return DeliveryAnswer(.object(story.json))
        case .retryOne(let id): return try retry(id)
        case .retry(let filter): return .retried(try retry(filter))
        case .purge(let ended, let before):
            return DeliveryAnswer(["purged": .integer(Int64(try purge(ended, before: before ?? now)))])
        }
    }

    private func retry(_ id: UUIDv7) throws(StoreError) -> DeliveryAnswer {
        var filter = DeliveryFilter()
        filter.id = id
        let count = try retry(filter)
        if count > 0 { return .retried(count) }
        return try store.story(of: id) == nil ? .unknown : .notDead
    }

    private func retry(_ filter: DeliveryFilter) throws(StoreError) -> Int {
        let (expiry, overflow) = now.addingReportingOverflow(lifeMilliseconds)
        return try store.retry(filter, now: now, expiresAt: overflow ? .max : expiry)
    }

    private func purge(_ ended: DeliveryAction.Ended, before: UInt64) throws(StoreError) -> Int {
        var purged = 0
        while true {
            // At the time 0 nothing has expired, so that only what is forgotten counts.
            let count = try store.purge(
                now: 0, deliveredBefore: ended == .delivered ? before : 0, deadBefore: ended == .dead ? before : 0,
                limit: Self.purgedPerStep)
            purged += count
            if count < Self.purgedPerStep { return purged }
        }
    }
}
