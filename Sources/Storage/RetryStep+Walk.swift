internal import Core

extension RetryStep {
    /// Looks at dead deliveries, so many in a transaction.
    /// - Parameters:
    ///   - after: where the step before has ended.
    ///   - limit: how many deliveries are looked at.
    ///   - find: the keys of those that match, newest first, before a place and at most so many; fewer only when there are no more.
    ///   - revive: makes those that may pending again, in one transaction.
    init(
        after: DeliveryCursor?, limit: Int, perCommit: Int,
        find: (_ before: DeliveryKey, _ limit: Int) throws(StoreError) -> [DeliveryKey],
        revive: (_ keys: [DeliveryKey]) throws(StoreError) -> RetryStep
    ) throws(StoreError) {
        self.init()
        var place = DeliveryKey(after)
        while seen < limit {
            let wanted = min(perCommit, limit - seen)
            let keys = try find(place, wanted)
            if !keys.isEmpty { add(try revive(keys)) }
            seen += keys.count
            guard let last = keys.last, keys.count == wanted else { return }
            place = last
        }
        next = DeliveryCursor(event: place.event, position: place.position)
    }
}
