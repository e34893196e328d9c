package import Time

/// Limits registrations: at most `max` in any window of that length, exactly.
package struct LimitRule: Sendable, Equatable {
    package enum Scope: String, Sendable, CaseIterable {
        case user
        /// One device of an app, regardless of the user.
        case device
        case app
        case service
    }

    /// Milliseconds by which a recorded call may lie in the future. A later one was recorded before the clock was set back, and must not
    /// lock people out for that long.
    package static let clockToleranceMilliseconds: UInt64 = 60_000

    package let scope: Scope
    /// At least 1.
    package let max: Int
    /// The window's length in milliseconds. A call exactly as long after another is allowed.
    package let windowMilliseconds: UInt64

    package init(per scope: Scope, max: Int, windowMilliseconds: UInt64) {
        precondition(max > 0 && windowMilliseconds > 0, "a rule allows something in a time")
        self.scope = scope
        self.max = max
        self.windowMilliseconds = windowMilliseconds
    }

    /// Whether it refuses everything that another one refuses.
    func isAtLeastAsStrict(as other: LimitRule) -> Bool {
        scope == other.scope && max <= other.max && windowMilliseconds >= other.windowMilliseconds
    }

    /// When a call refused now would be allowed; nil when it is allowed now.
    /// - Parameter earliest: when the first of the last `max` allowed calls came; nil when there were fewer.
    package func allowedAt(earliest: UnixMilliseconds?, now: UnixMilliseconds) -> UnixMilliseconds? {
        guard let earliest, earliest <= now + Self.clockToleranceMilliseconds else { return nil }
        return earliest + windowMilliseconds > now ? earliest + windowMilliseconds : nil
    }
}

/// When the last allowed registrations of a person or of a device came, or the last calls about them, oldest first, in the form that stores
/// keep.
package struct CallTimes: Sendable, Equatable {
    private static let width = 8

    /// Unix milliseconds, eight bytes each, the highest byte first.
    package private(set) var bytes: [UInt8]

    /// Takes what a store has kept; nothing by default.
    package init(bytes: [UInt8] = []) {
        self.bytes = bytes
    }

    /// When the first of the last `count` calls came; nil when there were fewer.
    package func earliest(ofLast count: Int) -> UnixMilliseconds? {
        let start = bytes.count - count * Self.width
        guard start >= 0 else { return nil }
        return UnixMilliseconds(rawValue: bytes[start..<start + Self.width].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// These and one more, of which the last `most` are kept.
    package func adding(_ time: UnixMilliseconds, keeping most: Int) -> CallTimes {
        var added = CallTimes(bytes: Array(bytes.suffix((most - 1) * Self.width)))
        for shift in stride(from: 56, through: 0, by: -8) { added.bytes.append(UInt8(truncatingIfNeeded: time.rawValue >> UInt64(shift))) }
        return added
    }

    /// These without the last one; none when there is none.
    package var withoutLast: CallTimes { CallTimes(bytes: Array(bytes.dropLast(Self.width))) }

    /// These without one that came at a time; the same when none did.
    func without(_ time: UnixMilliseconds) -> CallTimes {
        let count = bytes.count / Self.width
        guard let last = (1...max(count, 1)).first(where: { earliest(ofLast: $0) == time }) else { return self }
        let start = (count - last) * Self.width
        return CallTimes(bytes: Array(bytes[..<start] + bytes[(start + Self.width)...]))
    }

    /// These, where those that came later than a time come at that time.
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

/// A unit whose allowed registrations are numbered one by one, because there may be a million of them.
package enum CallSeries: Sendable, Hashable {
    case app(ByteKey)
    case service
}
