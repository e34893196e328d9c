/// The source of a writer's job. The jobs of one lane cannot use the capacity that is reserved for another lane.
enum WriterLane: CaseIterable, Sendable {
    case comments
    case registrations
    case calls
    /// The service itself: the dispatcher, upkeep, operators, and results of calls that were stored before.
    case service

    /// Returns the part of a limit that is reserved for the lane's jobs.
    fileprivate func share(of limit: Int) -> Int {
        switch self {
        case .comments, .registrations: limit / 4
        case .calls: limit / 16
        case .service: 0
        }
    }
}

struct LaneCounts: Sendable {
    private var byLane: [Int] = Array(repeating: 0, count: WriterLane.allCases.count)

    subscript(lane: WriterLane) -> Int { byLane[Self.index(lane)] }

    mutating func add(_ number: Int, to lane: WriterLane) { byLane[Self.index(lane)] += number }

    private static func index(_ lane: WriterLane) -> Int {
        switch lane {
        case .comments: 0
        case .registrations: 1
        case .calls: 2
        case .service: 3
        }
    }
}

/// The maximum number of waiting jobs, which limits memory while a disk hangs.
struct LaneBounds: Sendable {
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Whether one more job may wait. Jobs of the service itself always may, because their number is limited by the threads that wait for
    /// them and the calls in progress.
    func hasRoom(for lane: WriterLane, in counts: LaneCounts) -> Bool {
        guard lane != .service else { return true }
        var taken = 0
        for other in WriterLane.allCases where other != .service {
            taken += other == lane ? counts[other] : max(counts[other], other.share(of: limit))
        }
        return taken < limit
    }
}
