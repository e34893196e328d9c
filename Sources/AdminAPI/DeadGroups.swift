internal import Core
internal import Time

/// Dead deliveries by notifier and reason. The store has counters by notifier, app and reason; for other criteria a search counts them, the
/// newest first.
struct DeadGroups {
    struct Name: Hashable {
        let notifier, reason: ByteKey
    }

    struct Group {
        private(set) var count = 0
        private(set) var oldest = UnixMilliseconds.max
        private(set) var newest: UnixMilliseconds = 0

        fileprivate mutating func add(_ number: Int, from first: UnixMilliseconds, to last: UnixMilliseconds) {
            count += number
            oldest = min(oldest, first)
            newest = max(newest, last)
        }
    }

    private static let pageLength = 1000

    private(set) var groups: [Name: Group] = [:]
    private(set) var isComplete = true
    private let endedBy: Int64?

    /// Counts matching deliveries.
    /// - Parameter end: the time after which no further page of a search is counted.
    init(_ filter: DeliveryFilter, in store: any Store, until end: MonotonicMilliseconds) throws(StoreError) {
        let counts = try store.dead()
        endedBy = counts.endedBy
        guard !filter.canUseDeadCounts else {
            for dead in counts.deliveries where filter.matches(dead) {
                add(dead.count, notifier: dead.notifier, reason: dead.reason, from: dead.oldestReceivedAt, to: dead.newestReceivedAt)
            }
            return
        }
        var filter = filter
        (filter.state, filter.endedBy) = (.dead, endedBy)
        var (next, isFirst) = (nil as DeliveryCursor?, true)
        while isFirst || next != nil && SystemClock.monotonicMilliseconds() < end {
            let page = try store.page(of: filter, after: next, limit: Self.pageLength)
            for delivery in page.deliveries {
                add(1, notifier: delivery.notifier, reason: delivery.reason, from: delivery.event.receivedAt, to: delivery.event.receivedAt)
            }
            (next, isFirst) = (page.next, false)
        }
        isComplete = next == nil
    }

    private mutating func add(
        _ number: Int, notifier: String, reason: String, from first: UnixMilliseconds, to last: UnixMilliseconds
    ) {
        groups[Name(notifier: ByteKey(notifier), reason: ByteKey(reason)), default: Group()].add(number, from: first, to: last)
    }

    var count: Int { groups.values.reduce(0) { $0 + $1.count } }

    /// The set of the counted deliveries, with the start of its retry; nil when it is empty, or more may match.
    var set: RetryCursor? {
        guard isComplete, count > 0, let endedBy else { return nil }
        return RetryCursor(endedBy: endedBy, total: count)
    }
}
