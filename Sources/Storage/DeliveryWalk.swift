internal import Core
internal import Time

/// A search for deliveries, newest first, in steps: no step looks at more than some thousand events, whether they match or not.
struct DeliveryWalk {
    typealias Found = [(place: DeliveryCursor, delivery: Delivery)]

    /// Newest first.
    private(set) var found: Found = []
    /// The position at which the search continues; nil when it has ended: at the oldest event, or with a full page.
    private(set) var rest: DeliveryKey?

    init(_ found: Found) {
        self.found = found
    }

    /// Searches from before a place on.
    /// - Parameters:
    ///   - events: the numbers of the oldest and the newest event; without events the oldest is greater than the newest.
    ///   - limit: how many are enough.
    ///   - settings: how long a step is.
    ///   - end: from then on no step is begun but the first.
    ///   - step: lists at most `limit` matches before a place, newest first, of events with numbers greater than `last`.
    init(
        before: DeliveryKey, among events: (oldest: Int64, newest: Int64), limit: Int, _ settings: StoreSettings,
        until end: MonotonicMilliseconds,
        _ step: (_ before: DeliveryKey, _ last: Int64, _ limit: Int) throws(StoreError) -> Found
    ) throws(StoreError) {
        var place = before.event > events.newest ? DeliveryKey(event: events.newest + 1, position: 0) : before
        while place.event >= events.oldest, found.count < limit {
            let last = place.event - settings.eventsPerStep
            found += try step(place, last, limit - found.count)
            place = DeliveryKey(event: last + 1, position: 0)
            guard place.event > events.oldest, found.count < limit else { return }
            guard SystemClock.monotonicMilliseconds() < end else {
                rest = place
                return
            }
        }
    }

    /// The page of at most `limit`, for which one more was wanted.
    func page(limit: Int) -> DeliveryPage {
        guard let rest else { return DeliveryPage(found, limit: limit) }
        return DeliveryPage(found.map(\.delivery), next: DeliveryCursor(event: rest.event, position: rest.position))
    }
}

extension DeliveryKey {
    /// After all deliveries.
    static let end = DeliveryKey(event: .max, position: .max)

    /// The place where a list has ended; nil is where it begins.
    init(_ cursor: DeliveryCursor?) {
        self = cursor.map { DeliveryKey(event: $0.event, position: $0.position) } ?? .end
    }
}
