internal import Core
internal import Postgres
internal import Time

/// Where the claims of a notifier begin to look, while much that is dead lies before what is due.
///
/// A transaction that stays open keeps ended deliveries in the index, and each claim would pass over all of them again. So when a look from the
/// beginning took long, the next ones begin where that one found something. When the next one of a ticket comes to lead, the beginning counts
/// again. What else becomes due before that place, such as the lease of a dead replica, is found by the next look from the beginning. Those take
/// at most a twentieth of the time.
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
    private static let looksToWait: UInt64 = 20

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
        until = now + max(Self.shortestMilliseconds, Self.looksToWait * milliseconds)
    }
}

extension ClaimFloor.Place {
    /// The place of the delivery that is due for the longest time, which each row of a look names.
    init(first row: Row) throws(PostgresError) {
        self.init(due: try row.int64(32), event: try row.int64(33), position: try row.int32(34))
    }

    /// As a statement's last three parameters.
    var parameters: [Parameter] { [.int8(due), .int8(event), .int4(position)] }
}
