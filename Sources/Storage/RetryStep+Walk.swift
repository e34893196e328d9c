internal import Core

extension RetryStep {
    /// Examines dead deliveries, a limited number per transaction.
    /// - Parameters:
    ///   - after: the end of the previous step.
    ///   - limit: the number of deliveries to examine.
    ///   - find: returns the keys of matching ones, newest first, before a position, up to a limit; fewer only at the end.
    ///   - revive: makes the permitted ones pending again, in one transaction.
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
