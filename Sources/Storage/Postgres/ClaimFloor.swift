internal import Core
internal import Postgres
internal import Time

/// The position at which the claims of a notifier begin to search, while many dead rows lie before the due ones.
///
/// A transaction that stays open keeps ended deliveries in the index, and each claim would pass over all of them again. So when a search
/// from the beginning took long, the next ones begin where it found a row. When the next delivery of a ticket becomes the first, searches
/// start at the beginning again. Other rows that become due before that position, such as those with leases of a dead replica, are found by
/// the next search from the beginning. Such searches take at most a twentieth of the time.
struct ClaimFloor: Equatable {
    /// A place in the order in which deliveries are claimed.
    struct Place: Equatable {
        let due, event: Int64
        let position: Int32

        /// Before all others.
        static let start = Place(due: .min, event: .min, position: .min)
    }

    private static let slowMilliseconds: UInt64 = 5
    private static let shortestMilliseconds: UInt64 = 1000
    private static let searchesToWait: UInt64 = 20

    private var place = Place.start
    private var until: MonotonicMilliseconds = 0

    func start(_ now: MonotonicMilliseconds) -> Place { now < until ? place : .start }

    /// Takes in how long a look took.
    /// - Parameters:
    ///   - milliseconds: of the look of this notifier.
    ///   - start: where it began; only a look from the beginning says something.
    ///   - found: the delivery that is due for the longest time, or else the place behind everything that was due.
    mutating func note(_ milliseconds: UInt64, from start: Place, found: @autoclosure () -> Place, now: MonotonicMilliseconds) {
        guard start == .start else { return }
        place = milliseconds > Self.slowMilliseconds ? found() : .start
        until = now + max(Self.shortestMilliseconds, Self.searchesToWait * milliseconds)
    }
}

extension ClaimFloor.Place {
    /// The place of the delivery that is due for the longest time, which each row of a look names.
    init(first row: Row) throws(PostgresError) {
        self.init(due: try row.int64(32), event: try row.int64(33), position: try row.int32(34))
    }

    var parameters: [Parameter] { [.int8(due), .int8(event), .int4(position)] }
}
