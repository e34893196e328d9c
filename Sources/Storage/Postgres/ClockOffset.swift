internal import Core
internal import Time

/// The database's clock, as measured by a heartbeat.
///
/// The measurement is relative to a monotonic clock. When this machine's clock is set, the offset is therefore correct immediately, and not
/// only after the next heartbeat.
struct DatabaseClock {
    /// The minimum error of a measurement, in milliseconds, because clocks are read in whole milliseconds.
    private static let minimumError: UInt64 = 5

    private let clock: @Sendable () -> UnixMilliseconds
    /// The milliseconds by which the database's clock is ahead of the time since this machine started.
    private(set) var aheadOfStart: Int64
    /// The maximum error of `aheadOfStart`, in milliseconds.
    private var error: UInt64
    /// The milliseconds by which this machine's clock was ahead of the time since its start, at the measurement.
    private let ownAheadOfStart: Int64

    /// - Parameters:
    ///   - moment: the time of the database's clock.
    ///   - sinceBoot: the milliseconds since this machine started, at that moment (`SystemClock.bootMilliseconds`).
    ///   - error: the maximum error in milliseconds: half of the round trip.
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

    /// Returns this measurement, or the result of an earlier one that is more exact and does not contradict it. A slow answer makes a
    /// measurement inexact.
    func refined(by former: DatabaseClock?) -> DatabaseClock {
        guard let former, former.error < error, (aheadOfStart - former.aheadOfStart).magnitude <= error + former.error else { return self }
        var refined = self
        (refined.aheadOfStart, refined.error) = (former.aheadOfStart, former.error)
        return refined
    }

    /// The milliseconds by which the database's clock is ahead of this machine's clock now; 0 if the error may explain the difference, so
    /// that equal clocks have no offset.
    var aheadMilliseconds: Int64 {
        let ahead = aheadOfStart - Self.aheadOfStart(clock())
        return ahead.magnitude <= error ? 0 : ahead
    }

    /// Returns the offset of this machine's clock for a moment that was read from it.
    ///
    /// If the moment was read just before the clock was set, it is closer to the time that the clock would show without the change.
    /// - Parameter former: the previous offset.
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

/// The difference in milliseconds between the database's clock and this process's clock; negative when the database's clock is behind.
///
/// All moments are stored by the database's clock, so that processes whose clocks differ agree on due times, ages and rates. Values are
/// converted when they enter and leave the store; each type lists its moments (`Timestamped`).
struct ClockOffset: Equatable {
    static let none = ClockOffset(milliseconds: 0)
    /// Smaller changes of the offset are ignored, so that network latency does not change the times that are stored or returned.
    private static let toleranceMilliseconds: UInt64 = TimeLimit.milliseconds(1000)

    private let milliseconds: Int64

    /// Returns this offset, or the measured one if the two differ by at least the tolerance.
    /// - Parameter measured: the measured offset in milliseconds.
    func adjusted(to measured: Int64) -> ClockOffset {
        (measured - milliseconds).magnitude < Self.toleranceMilliseconds ? self : ClockOffset(milliseconds: measured)
    }

    func databaseTime<Value: Timestamped>(_ value: Value) -> Value { converted(value, by: milliseconds) }

    /// Converts a value of the database to this process's clock.
    func localTime<Value: Timestamped>(_ value: Value) -> Value { converted(value, by: -milliseconds) }

    private func converted<Value: Timestamped>(_ value: Value, by ahead: Int64) -> Value {
        guard ahead != 0 else { return value }
        // "Never" is the same by every clock, and is stored as the maximum integer.
        return value.converted { $0.stored == .max ? $0 : $0.advanced(by: ahead) }
    }
}
