internal import Core
internal import Time

/// The database's clock as a heartbeat has measured it.
///
/// It is stored beside a monotonic clock: when this machine's clock is set, also during a heartbeat, the offset is right at once, and not
/// only with the next heartbeat.
struct DatabaseClock {
    /// The minimum error of a measurement, in milliseconds: clocks are read in whole ones.
    private static let minimumError: UInt64 = 5

    private let clock: @Sendable () -> UnixMilliseconds
    /// By how much it is ahead of the milliseconds since this machine started.
    private(set) var aheadOfStart: Int64
    /// By how much that may be wrong, in milliseconds.
    private var error: UInt64
    /// By how much this machine's clock was ahead of them then.
    private let ownAheadOfStart: Int64

    /// - Parameters:
    ///   - moment: what it showed.
    ///   - sinceBoot: for how many milliseconds this machine had run then (`SystemClock.bootMilliseconds`).
    ///   - error: by how many milliseconds the way there and back may make that wrong: half of it.
    ///   - clock: reads this machine's clock.
    init(
        showing moment: UnixMilliseconds, at sinceBoot: UInt64, within error: UInt64,
        beside clock: @escaping @Sendable () -> UnixMilliseconds
    ) {
        self.clock = clock
        self.error = error + Self.minimumError
        aheadOfStart = moment.offset(from: UnixMilliseconds(rawValue: sinceBoot))
        ownAheadOfStart = Self.aheadOfStart(clock())
    }

    /// This measurement, with an earlier one's result if that is more exact and does not contradict it: a slow answer is inexact.
    func refined(by former: DatabaseClock?) -> DatabaseClock {
        guard let former, former.error < error, (aheadOfStart - former.aheadOfStart).magnitude <= error + former.error else { return self }
        var refined = self
        (refined.aheadOfStart, refined.error) = (former.aheadOfStart, former.error)
        return refined
    }

    /// By how much it is ahead of this machine's clock now, in milliseconds; 0 if the error may be all of it. So equal clocks show the same
    /// second.
    var aheadMilliseconds: Int64 {
        let ahead = aheadOfStart - Self.aheadOfStart(clock())
        return ahead.magnitude <= error ? 0 : ahead
    }

    /// Returns the offset of this machine's clock for a moment that was read from it.
    ///
    /// If it was read right before the clock was set, the moment is nearer to the clock's time without the change.
    /// - Parameter former: the offset before.
    func offset(for moment: UnixMilliseconds, after former: ClockOffset = .none) -> ClockOffset {
        let present = clock()
        let ahead = Self.aheadOfStart(present)
        let unset = present.advanced(by: ownAheadOfStart - ahead)
        let wasReadBefore = moment.offset(from: unset).magnitude < moment.offset(from: present).magnitude
        return former.adjusted(to: aheadOfStart - (wasReadBefore ? ownAheadOfStart : ahead))
    }

    private static func aheadOfStart(_ moment: UnixMilliseconds) -> Int64 {
        moment.offset(from: UnixMilliseconds(rawValue: SystemClock.bootMilliseconds()))
    }
}

/// Milliseconds by which the database's clock is ahead of this process's; negative when it is behind.
///
/// All moments are stored by the database's clock, so that processes whose clocks differ agree on due times, ages and rates. Values are
/// converted where they enter and leave the store; each type lists its moments (`Timestamped`).
struct ClockOffset: Equatable {
    static let none = ClockOffset(milliseconds: 0)
    /// Smaller offsets count as none: a millisecond of the network is no reason to store or return other times than were given.
    private static let toleranceMilliseconds: UInt64 = TimeLimit.milliseconds(1000)

    private let milliseconds: Int64

    /// This offset, or the measured one if the two differ by more than the tolerance.
    /// - Parameter measured: in milliseconds.
    func adjusted(to measured: Int64) -> ClockOffset {
        (measured - milliseconds).magnitude < Self.toleranceMilliseconds ? self : ClockOffset(milliseconds: measured)
    }

    func databaseTime<Value: Timestamped>(_ value: Value) -> Value { converted(value, by: milliseconds) }

    /// A value of the database by this process's clock.
    func localTime<Value: Timestamped>(_ value: Value) -> Value { converted(value, by: -milliseconds) }

    private func converted<Value: Timestamped>(_ value: Value, by ahead: Int64) -> Value {
        guard ahead != 0 else { return value }
        // "Never" is the same by every clock, and is stored as the greatest number that fits.
        return value.converted { $0.stored == .max ? $0 : $0.advanced(by: ahead) }
    }
}
