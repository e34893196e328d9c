internal import Core
internal import Postgres
internal import Time

/// Where the claims of a notifier begin to look for what is due for each app, while much that is dead lies before that.
///
/// A transaction that stays open keeps ended deliveries in the index, and each claim would pass over all of them again. So when a look from
/// the beginning took long, the next ones begin where that one found something of each app. When the next one of a ticket comes to lead,
/// the beginning counts again. What else becomes due before that place, such as the lease of a dead replica, is found by the next look from
/// the beginning. Those take at most a twentieth of the time.
struct ClaimFloor: Equatable {
    /// A place in the order in which deliveries are claimed.
    struct Place: Comparable {
        let due, event: Int64
        let position: Int32

        /// Before all others.
        static let start = Place(due: .min, event: .min, position: .min)

        static func < (left: Self, right: Self) -> Bool {
            (left.due, left.event, left.position) < (right.due, right.event, right.position)
        }
    }

    /// A place for each app.
    struct Places: Equatable {
        /// The first delivery of each app that has some.
        let apps: [Int32: Place]
        /// The place of all other apps.
        let others: Place

        /// Before all deliveries.
        static let start = Places(apps: [:], others: .start)

        /// The first of them.
        var first: Place { apps.values.reduce(others, min) }
    }

    private static let slowMilliseconds: UInt64 = 5
    private static let shortestMilliseconds: UInt64 = 1000
    private static let looksToWait: UInt64 = 20

    private var places = Places.start
    private var until: MonotonicMilliseconds = 0

    /// Where to begin.
    func start(_ now: MonotonicMilliseconds) -> Places { now < until ? places : .start }

    /// Takes in how long a look took.
    /// - Parameters:
    ///   - milliseconds: of the look of this notifier.
    ///   - start: where it began; only a look from the beginning says something.
    ///   - found: the first delivery that it found of each app, or else the place behind everything that was due.
    mutating func note(_ milliseconds: UInt64, from start: Places, found: @autoclosure () -> Places, now: MonotonicMilliseconds) {
        guard start == .start else { return }
        places = milliseconds > Self.slowMilliseconds ? found() : .start
        until = now + max(Self.shortestMilliseconds, Self.looksToWait * milliseconds)
    }
}

extension ClaimFloor.Place {
    /// The place of a row that was found.
    init(_ row: StoredRow) {
        self.init(due: row.delivery.dueAt.stored, event: row.place.key.event, position: Int32(row.place.key.position))
    }
}

extension ClaimFloor.Places {
    /// The places of the first rows that were found.
    /// - Parameter others: the place behind everything that was due.
    init(_ rows: Rows, others: ClaimFloor.Place) {
        var apps: [Int32: ClaimFloor.Place] = [:]
        for row in rows {
            if let row = try? StoredRow(row), apps[row.place.app] == nil { apps[row.place.app] = ClaimFloor.Place(row) }
        }
        self.init(apps: apps, others: others)
    }

    /// As a statement's last parameters: four lists of the apps, then the place of the others.
    var parameters: [Parameter] {
        let (numbers, places) = (Array(apps.keys), Array(apps.values))
        return [
            .int4Array(numbers), .int8Array(places.map(\.due)), .int8Array(places.map(\.event)), .int4Array(places.map(\.position)),
            .int8(others.due), .int8(others.event), .int4(others.position),
        ]
    }
}
