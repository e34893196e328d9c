/// Who waits for a job of the writer: what one lane's callers send never takes all the room of another's.
enum WriterLane: Sendable {
    /// The help desk, whose webhooks bring comments.
    case comments
    /// Apps that register devices.
    case registrations
    /// The service itself: the dispatcher, upkeep and operators.
    case service
}

/// How many jobs there are in each lane.
struct LaneCounts: Sendable {
    private(set) var comments = 0
    private(set) var registrations = 0

    /// Those from outside.
    var total: Int { comments + registrations }

    mutating func add(_ number: Int, to lane: WriterLane) {
        switch lane {
        case .comments: comments += number
        case .registrations: registrations += number
        case .service: break
        }
    }
}

/// How many jobs may wait, so that a disk that hangs costs bounded memory.
struct LaneBounds: Sendable {
    private let limit: Int
    /// What one lane may take of it: a quarter is left for the other one.
    private let share: Int

    init(limit: Int) {
        self.limit = limit
        share = max(1, limit - limit / 4)
    }

    /// Whether one more may wait. The service's own always may: each blocks a thread, and there are few.
    func hasRoom(for lane: WriterLane, in counts: LaneCounts) -> Bool {
        switch lane {
        case .comments: counts.comments < share && counts.total < limit
        case .registrations: counts.registrations < share && counts.total < limit
        case .service: true
        }
    }
}
