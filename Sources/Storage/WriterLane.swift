/// The source of a writer's job. The jobs of one lane never take all the room of another lane.
enum WriterLane: Sendable {
    /// Comments from the help desk's webhooks.
    case comments
    /// Registrations of devices.
    case registrations
    /// The service itself: the dispatcher, upkeep and operators.
    case service
}

/// The number of jobs in each lane.
struct LaneCounts: Sendable {
    private(set) var comments = 0
    private(set) var registrations = 0

    /// The jobs from outside of the service.
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
    /// The most that one lane may use: a quarter is left for the other one.
    private let share: Int

    init(limit: Int) {
        self.limit = limit
        share = max(1, limit - limit / 4)
    }

    /// Whether one more job may wait. Jobs of the service itself always may: each blocks a thread, and there are few.
    func hasRoom(for lane: WriterLane, in counts: LaneCounts) -> Bool {
        switch lane {
        case .comments: counts.comments < share && counts.total < limit
        case .registrations: counts.registrations < share && counts.total < limit
        case .service: true
        }
    }
}
