package import Time

/// How often registrations are taken: at most so many in any window of that length, exactly.
package struct LimitRule: Sendable, Equatable {
    /// Whose registrations are counted together.
    package enum Scope: String, Sendable, CaseIterable {
        /// Those of one person of an app.
        case user
        /// Those of one device of an app, whoever is signed in there.
        case device
        /// Those of an app.
        case app
        /// All.
        case service
    }

    /// How much earlier than the clock's time a call may have been recorded in the future, in milliseconds: what lies further ahead was
    /// recorded before the clock was set back, and must not lock anybody out for as long.
    package static let clockToleranceMilliseconds: UInt64 = 60_000

    /// Whose.
    package let scope: Scope
    /// How many, at least 1.
    package let max: Int
    /// The window's length in milliseconds. A call exactly as long after another is allowed.
    package let windowMilliseconds: UInt64

    /// Makes a rule.
    package init(per scope: Scope, max: Int, windowMilliseconds: UInt64) {
        precondition(max > 0 && windowMilliseconds > 0, "a rule allows something in a time")
        self.scope = scope
        self.max = max
        self.windowMilliseconds = windowMilliseconds
    }

    /// When a call refused now would be allowed; nil when it is allowed now.
    /// - Parameter earliest: when the first of the last `max` allowed calls came; nil when there were fewer.
    package func allowedAt(earliest: UnixMilliseconds?, now: UnixMilliseconds) -> UnixMilliseconds? {
        guard let earliest, earliest <= now + Self.clockToleranceMilliseconds else { return nil }
        return earliest + windowMilliseconds > now ? earliest + windowMilliseconds : nil
    }
}
