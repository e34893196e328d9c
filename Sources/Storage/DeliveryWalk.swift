internal import Core
internal import Time

/// A search for deliveries, newest first, in steps of limited size: each step examines at most a few thousand events, whether they match or
/// not.
struct DeliveryWalk {
    typealias Found = [(place: DeliveryCursor, delivery: Delivery)]

    /// The matches, newest first.
    private(set) var found: Found = []
    /// The position at which the search can continue; nil when it reached the oldest event or filled the page.
    private(set) var rest: DeliveryKey?

    init(_ found: Found) {
        self.found = found
    }

    /// Searches the deliveries before a position.
    /// - Parameters:
    ///   - events: the numbers of the oldest and the newest event; without events the oldest is greater than the newest.
    ///   - limit: the maximum number of matches.
    ///   - settings: the size of a step.
    ///   - end: the time after which no step begins, except the first.
    ///   - step: returns at most `limit` matches before a position, newest first, from events with numbers greater than `last`.
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

    /// Returns a page of at most `limit` deliveries. The search must have requested one more.
    func page(limit: Int) -> DeliveryPage {
        guard let rest else { return DeliveryPage(found, limit: limit) }
        return DeliveryPage(found.map(\.delivery), next: DeliveryCursor(event: rest.event, position: rest.position))
    }
}

extension DeliveryKey {
    /// The position after all deliveries.
    static let end = DeliveryKey(event: .max, position: .max)

    /// Creates the position where the previous page ended; nil is the start of the list.
    init(_ cursor: DeliveryCursor?) {
        self = cursor.map { DeliveryKey(event: $0.event, position: $0.position) } ?? .end
    }
}
