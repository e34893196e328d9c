internal import Core
internal import Postgres
internal import Time

/// The position at which the claims of a notifier begin to search, so that they skip dead index entries before the due deliveries.
///
/// A transaction that stays open keeps ended deliveries in the index, and each claim would scan all of them again. After a slow search from
/// the beginning, later searches therefore begin at the first row that it found. When another delivery becomes the first of its order,
/// searches start at the beginning again. Other rows that become due before the position, such as leases of a dead replica, are found by
/// the next search from the beginning. Searches from the beginning take at most a twentieth of the time.
struct ClaimFloor: Equatable {
    /// A position in the order in which deliveries are claimed.
    struct Place: Equatable {
        let due, event: Int64
        let position: Int32

        /// The position before all deliveries.
        static let start = Place(due: .min, event: .min, position: .min)
    }

    private static let slowMilliseconds: UInt64 = 5
    private static let shortestMilliseconds: UInt64 = 1000
    private static let searchesToWait: UInt64 = 20

    private var place = Place.start
    private var until: MonotonicMilliseconds = 0

    func start(_ now: MonotonicMilliseconds) -> Place { now < until ? place : .start }

    /// Records the duration of a search.
    /// - Parameters:
    ///   - milliseconds: the duration of the search for this notifier.
    ///   - start: the position at which the search began. Only searches from the beginning are recorded.
    ///   - found: the longest-due delivery; if none was due, the position after all due deliveries.
    mutating func note(_ milliseconds: UInt64, from start: Place, found: @autoclosure () -> Place, now: MonotonicMilliseconds) {
        guard start == .start else { return }
        place = milliseconds > Self.slowMilliseconds ? found() : .start
        until = now + max(Self.shortestMilliseconds, Self.searchesToWait * milliseconds)
    }
}

extension ClaimFloor.Place {
    /// Reads the position of the longest-due delivery, which each row of a search contains.
    init(first row: Row) throws(PostgresError) {
        self.init(due: try row.int64(32), event: try row.int64(33), position: try row.int32(34))
    }

    var parameters: [Parameter] { [.int8(due), .int8(event), .int4(position)] }
}
