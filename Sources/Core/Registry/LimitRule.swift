package import Time

/// A limit on registrations: at most `max` in any sliding window.
package struct LimitRule: Sendable, Equatable {
    package enum Scope: String, Sendable, CaseIterable {
        case user
        /// One device of an app, independent of the user.
        case device
        case app
        case service
    }

    /// The maximum milliseconds by which a recorded call may lie in the future. A later one was recorded before the clock was set back and
    /// is ignored, so that it does not lock out callers.
    package static let clockToleranceMilliseconds: UInt64 = 60_000

    package let scope: Scope
    /// At least 1.
    package let max: Int
    /// A call exactly one window after another is allowed.
    package let windowMilliseconds: UInt64

    package init(per scope: Scope, max: Int, windowMilliseconds: UInt64) {
        precondition(max > 0 && windowMilliseconds > 0, "a rule must have a positive maximum and window")
        self.scope = scope
        self.max = max
        self.windowMilliseconds = windowMilliseconds
    }

    func isAtLeastAsStrict(as other: LimitRule) -> Bool {
        scope == other.scope && max <= other.max && windowMilliseconds >= other.windowMilliseconds
    }

    /// Returns the time from which a call is allowed; nil when it is allowed now.
    /// - Parameter earliest: the time of the first of the last `max` allowed calls; nil when there were fewer.
    package func allowedAt(earliest: UnixMilliseconds?, now: UnixMilliseconds) -> UnixMilliseconds? {
        guard let earliest, earliest <= now + Self.clockToleranceMilliseconds else { return nil }
        return earliest + windowMilliseconds > now ? earliest + windowMilliseconds : nil
    }
}

/// The times of the last allowed registrations of a user or a device, or of the last calls about them, oldest first, in the stored
/// encoding.
package struct CallTimes: Sendable, Equatable {
    private static let width = 8

    /// Unix milliseconds, eight bytes each, big-endian.
    package private(set) var bytes: [UInt8]

    package init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// Returns the time of the first of the last `count` calls; nil when there were fewer.
    package func earliest(ofLast count: Int) -> UnixMilliseconds? {
        let start = bytes.count - count * Self.width
        guard start >= 0 else { return nil }
        return UnixMilliseconds(rawValue: bytes[start..<start + Self.width].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// Adds a call and keeps the last `most` calls.
    package func adding(_ time: UnixMilliseconds, keeping most: Int) -> CallTimes {
        var added = CallTimes(bytes: Array(bytes.suffix((most - 1) * Self.width)))
        for shift in stride(from: 56, through: 0, by: -8) { added.bytes.append(UInt8(truncatingIfNeeded: time.rawValue >> UInt64(shift))) }
        return added
    }

    /// Empty when there is no call.
    package var withoutLast: CallTimes { CallTimes(bytes: Array(bytes.dropLast(Self.width))) }

    /// Removes one call at a time; does nothing when there is none.
    func without(_ time: UnixMilliseconds) -> CallTimes {
        let count = bytes.count / Self.width
        guard let last = (1...max(count, 1)).first(where: { earliest(ofLast: $0) == time }) else { return self }
        let start = (count - last) * Self.width
        return CallTimes(bytes: Array(bytes[..<start] + bytes[(start + Self.width)...]))
    }

    /// Replaces later times by `time`.
    package func noLater(than time: UnixMilliseconds) -> CallTimes {
        let count = bytes.count / Self.width
        return (0..<count).reduce(CallTimes()) { earlier, index in
            earlier.adding(min(earliest(ofLast: count - index) ?? time, time), keeping: count)
        }
    }
}

extension CallTimes: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        let count = bytes.count / Self.width
        self = stride(from: count, to: 0, by: -1).reduce(CallTimes()) { times, last in
            earliest(ofLast: last).map { times.adding(convert($0), keeping: count) } ?? times
        }
    }
}

/// Calls about devices are stored as numbered rows, because there may be a million of them.
package enum CallSeries: Sendable, Hashable {
    case app(ByteKey)
    case service
}
